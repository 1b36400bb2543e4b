/** Group versions that are served no more but still read, since their fields are those of one that is: what older clients send. Pure. */

/** By "apiVersion kind" (upstream's EvictionREST accepts both). */
const READ_AS: Readonly<Record<string, string>> = { 'policy/v1beta1 Eviction': 'policy/v1' };

/** The group version that a body of this kind is read as. */
export function readAs(apiVersion: string, kind: string): string {
	return READ_AS[`${apiVersion} ${kind}`] ?? apiVersion;
}
