/** What the examples of the template reference are run over. */
export const exampleData = {
  widget: {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      namespace: 'web',
      name: 'gadget',
      labels: { app: 'shop' },
      annotations: { 'example.com/tier': 'gold' },
    },
    spec: {
      service: 'shop',
      color: 'red',
      replicas: 3,
      ports: [80, 443],
      limits: { burst: 20, rate: 5 },
      routes: [
        { path: '/cart', service: 'shop', weight: 90, methods: ['GET', 'POST'] },
        { path: '/', service: 'shop', weight: 10, methods: ['GET'] },
        { path: '/help', service: 'docs', weight: 5, methods: ['GET'] },
      ],
    },
  },
  service: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'web', name: 'shop' },
    spec: { clusterIP: '10.96.0.7' },
  },
  extraContext: {
    ports: [80, 8080],
    limits: { rate: 5, sites: ['shop', 'docs'] },
    notes: 'first line\nsecond line\n',
    key: '-----BEGIN PRIVATE KEY-----\nREVG\n-----END PRIVATE KEY-----\n',
    certificate: [
      '-----BEGIN CERTIFICATE-----',
      'MIIBwDCCAWagAwIBAgIUKfd1iqjbBFMcbADP3b6/yvXvLXswCgYIKoZIzj0EAwIw',
      'GzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAgFw0yNjExMzAwMzMxMDBaGA8y',
      'MTI2MTEwNjAzMzEwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMG',
      'ByqGSM49AgEGCCqGSM49AwEHA0IABMtwTYFj6dJzHWSVru7o/0FX9H2GRK2UY+tz',
      'tjzCHhCalMeZbBllG/Bdt6JPQ1nLjNbx9i2pfUh+dh5fzv5PWKCjgYUwgYIwHQYD',
      'VR0OBBYEFJGbeG3H1f+wqkceQuIa/pQ/vZIkMB8GA1UdIwQYMBaAFJGbeG3H1f+w',
      'qkceQuIa/pQ/vZIkMA8GA1UdEwEB/wQFMAMBAf8wLwYDVR0RBCgwJoIQc2hvcC5l',
      'eGFtcGxlLmNvbYISKi5zaG9wLmV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUC',
      'IQCVKwgqHpegSBDDKUydb0eWOyLnC62+J7nqLQVfUvlmJwIgBAOiNscQ8XK8qMWh',
      'mpbPSmDZx/ZfaxhuheNUqcUqojQ=',
      '-----END CERTIFICATE-----',
      '',
    ].join('\n'),
    archive:
      'H4sIAAAAAAACA+3UvQrCMBiF4cxeRa5AkybtHXRwsdCCeylRCppA+nP9BifpoJOV4vss5yPJmPOdy7o5VifxTSoprH1msszEvMzpXKs8L4RUYgXTMLZRShFDGN+9+3S/UbPeCfyvON3ccLi3vd93wV9+0/9ML/qfWWPo/xoa19XpC5T+2nsnK882AAAAAAAAAAAAAAAA2JYHxvoJIgAoAAA=',
  },
  http: { 'https://example.com/blocklist.txt': '192.0.2.1\n192.0.2.7\n' },
} as const;
