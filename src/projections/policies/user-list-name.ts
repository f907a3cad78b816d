/** The `userlist` section of a Secret. No Kubernetes name contains `_`. */
export function userListName(namespace: string, secret: string): string {
  return `${namespace}_${secret}`;
}
