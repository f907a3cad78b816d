/** Words that begin a section, of all HAProxy lines that are supported. Names follow, and nothing that does anything. */
export const sectionKeywords: ReadonlySet<string> = new Set(
  `acme backend cache crt-store defaults fcgi-app frontend global healthcheck http-errors listen log-forward log-profile mailers
  namespace_list peers program resolvers ring traces userlist`.split(/\s+/),
);
