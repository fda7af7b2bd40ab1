//! How much memory there is, and sizes in words.

/// Bytes that can be taken without swapping, and that a container allows; `u64::MAX` where the
/// system does not say.
pub fn available() -> u64 {
    free().min(allowed().unwrap_or(u64::MAX))
}

/// Whether so many bytes are free, or how many are. What every machine has is not asked for: the answer takes longer
/// than many a run.
pub fn check(needed: u64) -> Result<(), u64> {
    const ALWAYS: u64 = 32 << 20;
    if needed <= ALWAYS {
        return Ok(());
    }
    let available = available();
    if needed > available { Err(available) } else { Ok(()) }
}

/// What is left of the limit of the control group, if there is one.
fn allowed() -> Option<u64> {
    let bytes = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    Some(bytes("memory.max")?.saturating_sub(bytes("memory.current")?))
}

fn free() -> u64 {
    std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .map_or(u64::MAX, |kibibytes| kibibytes.saturating_mul(1024))
}

pub fn words(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{size:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_the_unit_that_fits() {
        assert_eq!(words(12), "12 bytes");
        assert_eq!(words(1536), "1.5 KiB");
        assert_eq!(words(3 << 40), "3.0 TiB");
        assert_eq!(words(u64::MAX), "16384.0 PiB");
    }
}
