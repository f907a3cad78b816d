/** What a route names: a port of a Service, as written. */
export interface BackendRef {
  readonly namespace: string;
  readonly service: string;
  /** A name, or a number of the Service's ports (not the pods'). */
  readonly port: string | number;
}
