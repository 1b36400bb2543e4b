/** The ways to keep volumes, by name. */

/** Best first. */
export const BACKEND_KINDS = ['loop', 'btrfs', 'directory'] as const;
export type BackendKind = (typeof BACKEND_KINDS)[number];
