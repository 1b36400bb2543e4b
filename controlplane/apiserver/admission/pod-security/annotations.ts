/** Annotations that held profiles before there were fields for them. */
export const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
export const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
export const CONTAINER_APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
