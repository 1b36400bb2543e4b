/** Which part of an object a write through a subresource may change; the rest stays as it is stored. Pure. */
import type { Pod } from '../../../api/gen/types.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Kind } from './kinds.ts';

/** The draft to go on with; `old` is frozen and not changed. */
export function keptBySubresource(kind: Kind, subresource: string, wanted: Draft, old: Draft): Draft {
	const statusFields = kind.strategy.status ?? [];
	switch (subresource) {
		case '': {
			const draft = wanted;
			for (const field of statusFields) {
				if (old[field] === undefined) delete draft[field];
				else draft[field] = structuredClone(old[field]);
			}
			return draft;
		}
		case 'status':
		case 'approval': {
			const draft = structuredClone(old);
			for (const field of statusFields) draft[field] = wanted[field];
			draft.metadata = kind.custom === undefined ? wanted.metadata : { ...draft.metadata, managedFields: wanted.metadata.managedFields };
			return draft;
		}
		case 'finalize': {
			const draft = structuredClone(old);
			draft['spec'] = { ...(draft['spec'] as object), finalizers: (wanted['spec'] as { finalizers?: unknown } | undefined)?.finalizers };
			return draft;
		}
		case 'ephemeralcontainers': {
			const draft = structuredClone(old) as Pod & Draft;
			const containers = (wanted as Pod).spec?.ephemeralContainers;
			if (draft.spec !== undefined) draft.spec.ephemeralContainers = containers;
			return draft;
		}
		case 'resize':
			return resized(structuredClone(old) as Pod & Draft, wanted as Pod);
	}
	return wanted;
}

function resized(draft: Pod & Draft, wanted: Pod): Draft {
	for (const list of ['containers', 'initContainers'] as const)
		for (const container of draft.spec?.[list] ?? []) {
			const same = wanted.spec?.[list]?.find((c) => c.name === container.name);
			if (same === undefined) continue;
			container.resources = same.resources;
			container.resizePolicy = same.resizePolicy;
		}
	return draft;
}
