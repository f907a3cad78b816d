import type { HelperExample } from '../../src/templates/helper-spec.ts';

/** A name that templates know without anybody giving it to them. */
export interface ContextVariable {
  readonly path: string;
  readonly text: string;
  readonly example: HelperExample;
}

export const contextVariables: readonly ContextVariable[] = [
  {
    path: 'resources.<name>',
    text: 'The collection of one kind of `watchedResources`, for `{{#forEach}}`. Inside of fragments, `single`, `list` and `fetch` look into it by its name.',
    example: {
      whole: '{{#forEach resources.services as |s key|}}\n    # {{key}}: {{s.spec.clusterIP}}\n{{/forEach}}',
    },
  },
  {
    path: 'collected.<name>',
    text: 'What fragments put together by `collect`. A fragment that reads it is printed after those that fill it; a circle is refused.',
    example: {
      whole:
        '{{#forEach resources.widgets as |w|}}{{collect "services" w.spec.service w.metadata.name}}{{/forEach}}\n{{#forEach collected.services as |c|}}\n    # {{c.key}} is used by {{length c.values}}\n{{/forEach}}',
    },
  },
  {
    path: 'controller.haproxyPods',
    text: 'The collection of the HAProxy pods that are served: `name`, `namespace`, `address`. For `{{#forEach}}`, and for `list "controller.haproxyPods"`.',
    example: {
      whole:
        'peers haptic\n{{#forEach controller.haproxyPods as |pod|}}\n    peer {{pod.name}} {{pod.address}}:10000\n{{/forEach}}',
    },
  },
  {
    path: 'extraContext',
    text: '`templatingSettings.extraContext`: values of your own. Constant, so also known in the text around fragments.',
    example: { whole: '    maxconn {{default extraContext.maxconn 1000}}' },
  },
  {
    path: 'dataplane',
    text: 'The `dataplane` section of the configuration. A field that it does not have is an error when the configuration is loaded.',
    example: { whole: '    # {{dataplane.mapsDir}}' },
  },
  {
    path: 'capabilities',
    text: 'What the HAProxy can do that the configuration is rendered for: `version` (`3.4`), and as `true` or `false` `guid`, `dynamicServers`, `dynamicBackends`, `serverInitState` and `serverPool`. See [Changes without a reload](reload-free.md). What is not there counts as false.',
    example: {
      whole: '{{#if capabilities.guid}}    # guid is known\n{{else}}    # guid is not known\n{{/if}}',
    },
  },
  {
    path: 'templateSnippets',
    text: 'The names of all snippets, sorted.',
    example: {
      whole: '    # {{join templateSnippets ","}}',
      snippets: { 'util-a': 'a', 'util-b': 'b' },
    },
  },
  {
    path: '@root',
    text: 'The outermost context, where `each` or `with` without a name has put an item in its place.',
    example: '{{#each w.spec.ports}}{{this}}/{{@root.extraContext.ports.[0]}} {{/each}}',
  },
];
