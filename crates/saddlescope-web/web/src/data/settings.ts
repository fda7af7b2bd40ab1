/** Settings on top of a system's declared defaults: paths as in `--set`, values as TOML literals. */
export type SettingsMap = Record<string, string>;
