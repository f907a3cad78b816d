/** What a check found. `skipped`: it could not be looked at from here. */
export interface Finding {
  /** Which check: `crds`, `permissions`. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ', skipped: 'skipped' } as const;

/** Findings for people, those with advice in two lines. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, status, message, advice }) => {
      const lines = [`${marks[status]} ${check.padEnd(width)}  ${message}`];
      if (advice !== undefined) lines.push(`${' '.repeat(width + 10)}${advice}`);
      return `${lines.join('\n')}\n`;
    })
    .join('');
}
