// Formulas as plain text: what is read out, written into files, and shown until KaTeX is there.

const SIGNS: Record<string, string> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  epsilon: "ε",
  varepsilon: "ε",
  zeta: "ζ",
  eta: "η",
  theta: "θ",
  kappa: "κ",
  lambda: "λ",
  mu: "μ",
  nu: "ν",
  xi: "ξ",
  pi: "π",
  rho: "ρ",
  sigma: "σ",
  tau: "τ",
  phi: "φ",
  varphi: "φ",
  chi: "χ",
  psi: "ψ",
  omega: "ω",
  Gamma: "Γ",
  Delta: "Δ",
  Theta: "Θ",
  Lambda: "Λ",
  Sigma: "Σ",
  Phi: "Φ",
  Psi: "Ψ",
  Omega: "Ω",
  times: "×",
  cdot: "·",
  le: "≤",
  leq: "≤",
  ge: "≥",
  geq: "≥",
  neq: "≠",
  approx: "≈",
  sim: "~",
  to: "→",
  infty: "∞",
  sum: "Σ",
  star: "*",
  ell: "ℓ",
  partial: "∂",
  nabla: "∇",
  pm: "±",
  in: "∈",
  ldots: "…",
  dots: "…",
  cdots: "…",
  top: "ᵀ",
  quad: " ",
  emptyset: "∅",
};

const LOWERED = "₀₁₂₃₄₅₆₇₈₉";

/** A TeX formula in plain characters, as well as they go. */
export function plainOf(tex: string): string {
  return tex
    .replace(/\\(?:mathcal|mathrm|mathbf|mathsf|text|operatorname|hat|tilde|bar|boldsymbol)\s*\{([^{}]*)\}/g, "$1")
    .replace(/\\sqrt\s*\{([^{}]*)\}/g, "√($1)")
    .replace(/\\t?frac\s*\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\([{}|])/g, (_, sign: string) => (sign === "{" ? "\u0001" : sign === "}" ? "\u0002" : "‖"))
    .replace(/\\([A-Za-z]+)\s*/g, (_, name: string) => SIGNS[name] ?? name)
    .replace(/\\[,;! ]/g, " ")
    .replace(/_\{?(\d+)\}?/g, (_, digits: string) => [...digits].map((d) => LOWERED[Number(d)] ?? d).join(""))
    .replace(/[{}]/g, "")
    .replace(/\u0001/g, "{")
    .replace(/\u0002/g, "}");
}

/** A label of the laboratory without its dollar signs. */
export function plainLabel(text: string): string {
  return text
    .split("$")
    .map((piece, i) => (i % 2 === 1 ? plainOf(piece) : piece))
    .join("");
}
