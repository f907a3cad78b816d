/** Where clouds answer for their machines, with what only those should know: AWS, Azure and others, Alibaba, Oracle, Google. */
export const metadataBlocks: readonly string[] = [
  '169.254.169.254/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
];
