/** Where a configuration comes from when it is given as files. */
export const configOptions = {
  libraries: {
    value: 'DIR',
    summary: 'template libraries, merged in name order of its *.yaml',
    otherwise: 'those that came with the program',
  },
  values: { value: 'FILE', summary: 'configuration merged last', repeat: true },
} as const;
