/** Every built-in resource, one constant each (PODS, NODES, ...), and how to find one by what a path or an object says. */
import { RESOURCES } from './gen/resources.ts';
import type { ResourceRow } from './resource.ts';

export * from './gen/resources.ts';
export type { ResourceRow, SubresourceRow } from './resource.ts';

const byPlural = new Map(RESOURCES.map((r) => [`${r.group}/${r.version}/${r.plural}`, r]));
const byKind = new Map(RESOURCES.map((r) => [`${r.group}/${r.version}/${r.kind}`, r]));

export function resourceByPlural(group: string, version: string, plural: string): ResourceRow | undefined {
	return byPlural.get(`${group}/${version}/${plural}`);
}

export function resourceByKind(group: string, version: string, kind: string): ResourceRow | undefined {
	return byKind.get(`${group}/${version}/${kind}`);
}
