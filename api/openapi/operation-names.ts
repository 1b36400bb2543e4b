/** Identifiers and tags of operations: "listCoreV1NamespacedPod", "core_v1". Pure. */

/** "" -> "core"; "rbac.authorization.k8s.io" -> "rbacAuthorization"; "stable.example.com" -> "stableExampleCom". */
export function groupTag(group: string): string {
	const own = group.replace(/\.k8s\.io$/, '');
	const [first = '', ...rest] = (own === '' ? 'core' : own).split(/[^A-Za-z0-9]+/);
	return first + rest.map(capital).join('');
}

/** "CoreV1", "RbacAuthorizationV1" */
export function groupVersionWord(group: string, version: string): string {
	return capital(groupTag(group)) + capital(version);
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
