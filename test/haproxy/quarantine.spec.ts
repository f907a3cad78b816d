import { afterEach, expect, it } from 'vitest';
import { issueCertificate } from '../fixtures/certificates.ts';
import { type GatedPipeline, startGatedPipeline } from '../fixtures/gated-pipeline.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';

const good = (address: string) => `server s ${address}:80`;

describeEachLine('quarantine', (line) => {
  let scene: GatedPipeline;
  afterEach(() => scene.stop());
  const start = (template?: string): GatedPipeline => {
    scene = startGatedPipeline({ haproxy: line.path, ...(template === undefined ? {} : { template }) });
    return scene;
  };
  const held = () => scene.held().map(({ owner, kind, state }) => `${owner.name} ${kind} ${state}`);
  const released = (what: string, check: (text: string) => boolean) =>
    eventually(what, () => (check(scene.released()) ? true : undefined));
  const holds = (...names: readonly string[]) =>
    eventually(`held are exactly ${names.join(', ')}`, () =>
      JSON.stringify(held()) === JSON.stringify(names) ? true : undefined,
    );

  it('EG#69: keeps the accepted output of a refused object and lets the others out', async () => {
    start().write({ a: good('10.0.0.1'), b: good('10.0.0.1') });
    await released('the first render', (text) => text.includes('backend b'));
    scene.write({ a: 'serverr nonsense', b: good('10.0.0.2') });
    await holds('a pinned refused');
    // It was let out before it was refused.
    await released('what is good of it', (text) => text.includes('10.0.0.2') && !text.includes('nonsense'));
    expect(scene.released()).toContain(good('10.0.0.1'));
    expect(scene.held()[0]?.words).toContain('serverr');
    expect(scene.latch()).toMatchObject({ mode: 'optimistic', pinned: false });
  });

  it('KIC#77: leaves out what is bad from the very first render on, one of a thousand, in two checks', async () => {
    const many = Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`w${i}`, good('10.0.0.1')]));
    start().write({ ...many, bad: 'http-request set-header x "abc' });
    await released('the others', (text) => text.includes('backend w998'));
    await holds('bad excluded refused');
    expect(scene.released().match(/^backend /gm)).toHaveLength(999);
    // One of nothing, before the objects were written; then the whole, and the whole without the bad one.
    expect(scene.checks()).toBeLessThanOrEqual(3);
  });

  it('finds two that are bad at once, and lets each go when it is good', async () => {
    start().write({ a: good('10.0.0.1'), b: good('10.0.0.1'), c: good('10.0.0.1') });
    await released('the first render', (text) => text.includes('backend c'));
    scene.write({ a: 'nonsense', b: good('10.0.0.3'), c: 'nonsense too' });
    await holds('a pinned refused', 'c pinned refused');
    await released('the good one', (text) => text.includes('10.0.0.3'));
    scene.write({ a: good('10.0.0.4') });
    await released('the one that is good again', (text) => text.includes('10.0.0.4'));
    await holds('c pinned refused');
    scene.write({ c: undefined });
    await holds();
    await released('that c is gone', (text) => !text.includes('backend c'));
  });

  it('blames the newcomer for a name that is taken, though HAProxy names the line of the other', async () => {
    start().write({ m: { raw: 'backend taken from std\n  server s 10.0.0.1:80' }, z: good('10.0.0.1') });
    await released('the first render', (text) => text.includes('backend taken'));
    scene.write({
      b: { raw: 'backend taken from std\n  server s 10.0.0.9:80' },
      c: good('10.0.0.5'),
      d: good('10.0.0.6'),
      z: good('10.0.0.7'),
    });
    await holds('b excluded refused');
    await released(
      'the others',
      (text) =>
        ['.1', '.5', '.6', '.7'].every((end) => text.includes(`10.0.0${end}:`)) && !text.includes('10.0.0.9'),
    );
    scene.write({ b: { raw: 'backend free from std\n  server s 10.0.0.9:80' } });
    await released('the newcomer under a name of its own', (text) => text.includes('10.0.0.9'));
    await holds();
  });

  it('blames the object that brought a certificate or a pattern that cannot be read', async () => {
    start().write({ a: { lines: good('10.0.0.1'), pattern: '^/a' }, b: good('10.0.0.1') });
    await released('the first render', (text) => text.includes('backend b'));
    scene.write({
      a: { lines: good('10.0.0.2'), pattern: '^/(' },
      b: { lines: `${good('10.0.0.2')} ssl verify none crt ssl/b.pem`, cert: 'no certificate' },
      c: good('10.0.0.3'),
    });
    await holds('a pinned refused', 'b pinned refused');
    await released('the third', (text) => text.includes('10.0.0.3') && !text.includes('10.0.0.2'));
  });

  it('lets nobody have others blamed by naming their files', async () => {
    const { cert, key } = await issueCertificate({ names: ['shop.example.com'] });
    const theirs = { lines: good('10.0.0.2'), cert: cert + key };
    start().write({ a: { lines: 'server s 10.0.0.1:80 ssl/b.pem\n  ssl/c.pem' }, b: theirs, c: theirs });
    await holds('a excluded refused');
    await released('the others', (text) => text.match(/10\.0\.0\.2/g)?.length === 2);
    scene.write({ a: 'ssl/b.pem', b: { ...theirs, lines: good('10.0.0.3') } });
    await released('what is good of it', (text) => text.includes('10.0.0.3'));
    await holds('a excluded refused');
    // Of a bad file and a bad line that names it, each is found.
    const lines = `${good('10.0.0.4')} ssl verify none crt ssl/b.pem`;
    scene.write({ a: 'ssl/b.pem or so', b: { lines, cert: 'no certificate' }, c: undefined });
    await holds('a excluded refused', 'b pinned refused');
  });

  it('keeps all out that depends on a refused object, and takes all in when that one is good', async () => {
    start().write({ a: good('10.0.0.1') });
    await released('the first render', (text) => text.includes('backend a'));
    scene.write({
      b: 'nonsense',
      c: { raw: 'frontend own from std\n  bind 127.0.0.1:81\n  default_backend b' },
    });
    await holds('b excluded refused', 'c excluded refused');
    scene.write({ b: good('10.0.0.2') });
    await released('both', (text) => text.includes('frontend own') && text.includes('10.0.0.2'));
    await holds();
  });

  it('says why when the templates themselves are refused, and stays with nothing', async () => {
    start('global\n  nonsense\n').write({ a: good('10.0.0.1') });
    await eventually('it is stuck', () => scene.stuck());
    expect(scene.stuck()).toContain('nonsense');
    expect(scene.released()).toBe('');
    expect(held()).toEqual([]);
  });
});
