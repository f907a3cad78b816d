import Handlebars from 'handlebars';

/** Where an expression stands, as Handlebars gives it: lines from 1, columns from 0. */
export interface SourceRange {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

/** What Handlebars passes to a helper as its last argument. */
export interface HelperOptions {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly loc: SourceRange;
  readonly data?: TemplateData;
  readonly fn?: BlockBody;
  readonly inverse?: BlockBody;
}

export type TemplateData = Readonly<Record<string, unknown>>;

/** The body of a block: pure but for its helpers. */
export interface BlockBody {
  (context: unknown, options?: { data?: TemplateData | undefined; blockParams?: readonly unknown[] }): string;
  /** How many block parameters it declares. */
  readonly blockParams?: number;
}

export type RawHelper = (this: unknown, ...args: unknown[]) => unknown;

export interface TemplateBody {
  (context: Readonly<Record<string, unknown>>): string;
  /** Compiles it, which is done otherwise when it first runs. */
  readonly prepare: () => void;
}

export interface EngineOptions {
  readonly helpers: Readonly<Record<string, RawHelper>>;
  /** Helpers whose result is text for the output as it is. Results of all others go through `printWord`, as values do. */
  readonly printing: ReadonlySet<string>;
  readonly printWord: (value: unknown, loc: SourceRange) => string;
  readonly printRaw: (value: unknown, loc: SourceRange) => string;
  /** Called around every `{{> name}}`. */
  readonly partial: (name: string, context: Readonly<Record<string, unknown>>, loc: SourceRange) => string;
}

export interface Engine {
  /** Compiles from a string only; the source must have passed the checks before. Templates run with `data.root` = context. */
  compile(source: string): TemplateBody;
  declarePartial(name: string): void;
}

interface Template {
  (context: unknown, options: Record<string, unknown>): string;
  /** Gives it what partials get from their callers. */
  _setup(options: Record<string, unknown>): void;
}

/** What `setupParams` below adds to what Handlebars passes. */
type PartialCall = Pick<HelperOptions, 'loc'>;

/** The two compiler stages that Handlebars documents as an extension point, with the parts used here. */
interface Compiler {
  compile(program: unknown, options: object): unknown;
  SubExpression(node: Mustache): void;
  opcode(name: string): void;
}
interface JavaScriptCompiler {
  setupParams(name: string, count: number, params: unknown): Record<string, unknown>;
  readonly source: { readonly currentLocation: SourceRange };
  popStack(): unknown;
  appendToBuffer(source: readonly unknown[]): unknown;
  pushSource(source: unknown): void;
  nameLookup(parent: string, name: string, kind: string): readonly unknown[];
}
interface Mustache {
  readonly escaped: boolean;
  readonly path: { readonly original: string };
}
interface Stage {
  new (): unknown;
  prototype: object;
}
interface Internals {
  Compiler: Stage;
  JavaScriptCompiler: Stage;
}

/**
 * An isolated Handlebars environment that prints for HAProxy: `{{x}}` through `printWord`, `{{{x}}}` through `printRaw`,
 * known helpers only, no prototype access, no built-in helper or decorator left.
 */
export function createHandlebarsEngine(options: EngineOptions): Engine {
  const environment = Handlebars.create();
  for (const name of ['if', 'unless', 'each', 'with', 'log', 'lookup']) environment.unregisterHelper(name);
  environment.unregisterDecorator('inline');
  for (const [name, helper] of Object.entries(options.helpers)) environment.registerHelper(name, helper);
  environment.registerHelper('printWord', (value: unknown, call: HelperOptions) =>
    options.printWord(value, call.loc),
  );
  environment.registerHelper('printRaw', (value: unknown, call: HelperOptions) =>
    options.printRaw(value, call.loc),
  );
  const internals = environment as unknown as Internals;
  internals.Compiler = printingCompiler(internals.Compiler, options);
  internals.JavaScriptCompiler = checkedOutput(internals.JavaScriptCompiler);

  const compile = (source: string): Template =>
    environment.compile(source, {
      knownHelpersOnly: true,
      explicitPartialContext: true,
      preventIndent: true,
      data: true,
    }) as unknown as Template;
  const inherited = partialOptions(environment, compile);
  return {
    compile: (source) => {
      const template = compile(source);
      return Object.assign(
        (context: Readonly<Record<string, unknown>>) =>
          template(context, { ...inherited, data: { root: context } }),
        { prepare: () => template._setup(inherited) },
      );
    },
    declarePartial: (name) =>
      environment.registerPartial(
        name,
        (context: Readonly<Record<string, unknown>> | undefined, call?: object) =>
          options.partial(name, context ?? {}, (call as PartialCall).loc),
      ),
  };
}

/**
 * What Handlebars hands from a template to its partials (prepared helpers and access rules). Running every template as a
 * partial with these saves preparing all helpers anew on each call.
 */
function partialOptions(
  environment: typeof Handlebars,
  compile: (source: string) => Template,
): Record<string, unknown> {
  let captured: Record<string, unknown> = {};
  environment.registerPartial('haptic probe', (_context: unknown, options?: object) => {
    captured = { ...options };
    return '';
  });
  compile('{{> [haptic probe]}}')({}, {});
  environment.unregisterPartial('haptic probe');
  const { helpers, decorators, hooks, protoAccessControl } = captured;
  return { helpers, partials: environment.partials, decorators, hooks, protoAccessControl, partial: true };
}

function printingCompiler(
  base: Stage,
  { printing, helpers }: Pick<EngineOptions, 'printing' | 'helpers'>,
): Stage {
  const above = base.prototype as Compiler;
  // Handlebars copies the names anew for every block of a template. These stay: what cannot be listed is not copied.
  const names = Object.create(null) as object;
  for (const name of Object.keys(helpers)) Object.defineProperty(names, name, { value: true });
  const knownHelpers: PropertyDescriptor = { get: () => names, set: () => undefined };
  const stage = function PrintingCompiler() {
    return undefined;
  } as unknown as Stage;
  stage.prototype = Object.assign(Object.create(base.prototype) as object, {
    compiler: stage,
    compile(this: Compiler, program: unknown, options: object): unknown {
      // The options of a template are those of its blocks, too.
      if (!Object.hasOwn(options, 'knownHelpers'))
        Object.defineProperty(options, 'knownHelpers', knownHelpers);
      return above.compile.call(this, program, options);
    },
    MustacheStatement(this: Compiler, node: Mustache): void {
      this.SubExpression(node);
      if (printing.has(node.path.original)) this.opcode('append');
      else this.opcode(node.escaped ? 'appendEscaped' : 'appendRaw');
    },
  });
  return stage;
}

function checkedOutput(base: Stage): Stage {
  const above = base.prototype as JavaScriptCompiler;
  const stage = function CheckedOutput() {
    return undefined;
  } as unknown as Stage;
  stage.prototype = Object.assign(Object.create(base.prototype) as object, {
    compiler: stage,
    /** Partials are told where they are called, as helpers are. */
    setupParams(this: JavaScriptCompiler, name: string, count: number, params: unknown) {
      return {
        ...above.setupParams.call(this, name, count, params),
        loc: JSON.stringify(this.source.currentLocation),
      };
    },
    appendEscaped(this: JavaScriptCompiler): void {
      appendThrough(this, 'printWord');
    },
    appendRaw(this: JavaScriptCompiler): void {
      appendThrough(this, 'printRaw');
    },
  });
  return stage;
}

function appendThrough(compiler: JavaScriptCompiler, helper: string): void {
  const place = JSON.stringify({ loc: compiler.source.currentLocation });
  const lookup = compiler.nameLookup('helpers', helper, 'helper');
  compiler.pushSource(compiler.appendToBuffer([...lookup, '(', compiler.popStack(), ', ', place, ')']));
}
