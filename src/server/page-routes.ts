import type { FastifyPluginCallback, FastifyReply } from 'fastify';
import { type PageFile, loadPage } from './load-page.ts';

/** Nothing from elsewhere, nothing inline, in no frame: what the page shows comes from users of the cluster. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `GET /debug` is a page that shows the taps as live marble diagrams, the fleet, what is held back, and explains objects and reloads. */
export const pageRoutes: FastifyPluginCallback = (app, _options, done) => {
  const send = async (reply: FastifyReply, file: PageFile): Promise<FastifyReply> => {
    const page = await loadPage();
    return reply
      .type(`${page[file].type}; charset=utf-8`)
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy)
      .send(page[file].text);
  };
  app.get('/debug', (_request, reply) => send(reply, 'index.html'));
  app.get('/debug/', (_request, reply) => send(reply, 'index.html'));
  app.get('/debug/page/main.js', (_request, reply) => send(reply, 'main.js'));
  app.get('/debug/page/style.css', (_request, reply) => send(reply, 'style.css'));
  done();
};
