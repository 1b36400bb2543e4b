/**
 * TypeScript names of the contract's types: the short Go name where it is the only one; where it is not, apimachinery's, then core/v1's, then the newest
 * version's type keeps it, and the others get the group in front (the version too where a group has several).
 */
import type { ContractType } from './contract.ts';

/** Groups of which several versions stand in the contract. */
const VERSIONED = new Set(['autoscaling', 'apidiscovery']);

export function typeScriptNames(types: ReadonlyMap<string, ContractType>): ReadonlyMap<string, string> {
	const byShort = Map.groupBy([...types.keys()], shortName);
	const names = new Map<string, string>();
	for (const [short, full] of byShort) {
		const [first, ...others] = full.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
		if (first !== undefined) names.set(first, short);
		for (const other of others) names.set(other, `${prefix(other)}${short}`);
	}
	return names;
}

const shortName = (full: string): string => full.slice(full.lastIndexOf('.') + 1);

function rank(full: string): number {
	const path = full.slice(0, full.lastIndexOf('.'));
	if (/\/v\d+(alpha|beta)\d+$/.test(path)) return 9;
	if (path === 'meta/v1' || !/\/v\d+$/.test(path)) return 0;
	if (path === 'core/v1') return 1;
	return path.endsWith('/v2') ? 2 : 5;
}

/** "events/v1.Event": "Events"; "autoscaling/v1.MetricSpec": "AutoscalingV1". */
function prefix(full: string): string {
	const [group = '', version = ''] = full.slice(0, full.lastIndexOf('.')).split('/');
	return `${capital(group)}${VERSIONED.has(group) ? capital(version) : ''}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
