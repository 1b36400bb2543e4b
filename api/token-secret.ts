/** Secrets that hold a token of a service account: their type, the annotations that name the account, and the labels that say when the token was used. */

export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
/** A day, as `2026-01-31`. */
export const LAST_USED = 'kubernetes.io/legacy-token-last-used';
/** The day from which on the token is refused. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
