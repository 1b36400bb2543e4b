/** Which part of an object a write through a subresource may change; the rest stays as it is stored. Pure. */
import type { Container, Pod } from '../../../api/gen/types.ts';
import { keptMetadata } from '../strategy/kept-metadata.ts';
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
		case 'status': {
			const draft = structuredClone(old);
			for (const field of statusFields) {
				if (wanted[field] === undefined) delete draft[field];
				else draft[field] = wanted[field];
			}
			draft.metadata = kind.custom === undefined ? wanted.metadata : { ...draft.metadata, managedFields: wanted.metadata.managedFields };
			return draft;
		}
		case 'approval': {
			const draft = { ...wanted, spec: structuredClone(old['spec']) };
			const conditions = (wanted['status'] as { conditions?: unknown } | undefined)?.conditions;
			return { ...draft, status: { ...(old['status'] as object), conditions } };
		}
		case 'finalize':
			return { ...wanted, status: structuredClone(old['status']) };
		case 'ephemeralcontainers': {
			const draft = structuredClone(old) as Pod & Draft;
			draft.metadata = wanted.metadata;
			keptMetadata(draft, old);
			if (draft.spec !== undefined) draft.spec.ephemeralContainers = (wanted as Pod).spec?.ephemeralContainers;
			return draft;
		}
		case 'resize':
			return resized(wanted as Pod & Draft, old as Pod & Draft);
	}
	return wanted;
}

const LISTS = ['containers', 'initContainers'] as const;

/** Only resources and resize policies; where containers came, went or changed their places, all that is wanted, for validation to refuse. */
function resized(wanted: Pod & Draft, old: Pod & Draft): Draft {
	const of = (pod: Pod, list: (typeof LISTS)[number]): readonly Container[] => pod.spec?.[list] ?? [];
	if (LISTS.some((list) => of(wanted, list).length !== of(old, list).length)) return wanted;
	const draft = structuredClone(old);
	draft.metadata = wanted.metadata;
	keptMetadata(draft, old);
	if (draft.spec === undefined) return draft;
	if (wanted.spec?.resources === undefined) delete draft.spec.resources;
	else draft.spec.resources = wanted.spec.resources;
	for (const list of LISTS) {
		const asked = of(wanted, list);
		const merged = of(old, list).map((container, i) => ({
			...container,
			resources: asked[i]?.resources,
			resizePolicy: asked[i]?.resizePolicy,
		}));
		const isMoved = asked.some(({ name }, i) => name !== merged[i]?.name);
		if (asked.length > 0) draft.spec[list] = structuredClone(isMoved ? asked : merged) as Container[];
	}
	return draft;
}
