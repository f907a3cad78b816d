import type { TemplateConfig } from '../api/template-config.ts';
import { documentsOf } from '../render/documents-of.ts';
import type { ProfileEntry } from '../templates/render-profile.ts';
import type { Coverage } from './test-report.ts';

/** Which templates and snippets of a configuration were run, by the profiles of its tests. */
export function coverageOf(config: TemplateConfig, ran: readonly (readonly ProfileEntry[])[]): Coverage {
  const templates = documentsOf(config).map(({ template }) => template);
  const snippets = Object.keys(config.templateSnippets).sort();
  const names = new Set(
    ran
      .flat()
      .flatMap(({ kind, name }) => (kind === 'template' || kind === 'snippet' ? [`${kind} ${name}`] : [])),
  );
  const uncovered = [
    ...templates.filter((name) => !names.has(`template ${name}`)),
    ...snippets.filter((name) => !names.has(`snippet ${name}`)),
  ];
  const total = templates.length + snippets.length;
  return { total, covered: total - uncovered.length, uncovered };
}
