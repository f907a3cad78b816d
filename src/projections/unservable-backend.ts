/** Backend of the base library that answers 503: where a path goes whose own backend cannot exist. */
export const unservableBackend = 'haptic-unavailable';
