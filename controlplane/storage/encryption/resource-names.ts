/** How an encryption configuration names resources ("secrets", "pandas.example.com", "*.apps", "*.", "*.*"), and which names it may not have. Pure. */
import { goQuote } from '../../../api/go-quote.ts';

export const ANYTHING = '*.*';

/** "secrets" and "secrets." are one, as are "*." and "*." of another rule: resource and group, joined by a point. */
export function patternOf(name: string): string {
	return name.includes('.') ? name : `${name}.`;
}

/** All of a group: "apps" -> "*.apps". */
export const allOf = (group: string): string => `*.${group}`;

const groupOf = (pattern: string): string => pattern.slice(pattern.indexOf('.') + 1);
/** What the store has beside the API's objects: upstream keeps these plain, whatever the rules say. */
const BESIDE = new Set(['ranges.', 'masterleases.', 'peerserverleases.']);

/** @param name "secrets.", "deployments.apps" */
export const isApi = (name: string): boolean => !BESIDE.has(name);

const NO_API = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];

/** What is wrong with a name by itself, in upstream's words (apiserver validation_encryption.go). */
export function nameFault(name: string): string | undefined {
	if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
	if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
	if (NO_API.includes(name)) return 'resources which do not have REST API/s cannot be encrypted';
	const group = groupOf(patternOf(name));
	if (group === 'events.k8s.io')
		return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
	if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
	if (group === '*' && name !== ANYTHING) return 'encrypting the same resource across groups is not supported';
	return undefined;
}

/** The names of one rule together. */
export function listFaults(names: readonly string[]): readonly string[] {
	const patterns = names.map(patternOf);
	const distinct = [...new Set(patterns)];
	const out = distinct.length < patterns.length ? ['the same resource cannot be specified multiple times'] : [];
	if (distinct.length > 1 && distinct.some((one, i) => one === ANYTHING || isMasked(one, distinct.toSpliced(i, 1))))
		out.push("using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked");
	return out;
}

/** A rule for what an earlier one has as part of more would never count. */
export function maskFault(name: string, earlier: ReadonlySet<string>): string | undefined {
	const masking = [allOf(groupOf(patternOf(name))), ANYTHING].find((pattern) => earlier.has(pattern));
	return masking === undefined ? undefined : `resource ${goQuote(name)} is masked by earlier rule ${goQuote(masking)}`;
}

function isMasked(pattern: string, others: readonly string[]): boolean {
	return others.includes(allOf(groupOf(pattern)));
}
