/** The resources that are served here as discovery shows them. */
import { RESOURCES, type ResourceRow } from '../../../api/resources.ts';
import type { ServedResource } from './source.ts';

export function servedResources(rows: readonly ResourceRow[] = RESOURCES, custom = false): readonly ServedResource[] {
	return rows.map((row) => ({
		group: row.group,
		version: row.version,
		plural: row.plural,
		singular: row.singular,
		kind: row.kind,
		namespaced: row.namespaced,
		verbs: row.verbs,
		shortNames: row.shortNames,
		categories: row.categories,
		custom,
		stored: row.verbs.includes('watch'),
		subresources: row.rows.map((sub) => ({
			name: sub.name,
			kind: sub.kind,
			verbs: sub.verbs,
			...(sub.kindGroup === row.group && sub.kindVersion === row.version ? {} : { kindGroup: sub.kindGroup, kindVersion: sub.kindVersion }),
		})),
	}));
}
