/** What an apply answers when other managers own what it wants to change. */
import type { StatusCause } from '../gen/types.ts';
import type { FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';

export interface Conflict {
	readonly manager: Manager;
	readonly fields: FieldSet;
}

/** 409 with reason Conflict and no details but the causes. */
export class ApplyConflict extends Error {
	readonly causes: readonly StatusCause[];

	constructor(conflicts: readonly Conflict[]) {
		const named = conflicts.map(({ manager, fields }) => ({ who: describe(manager), paths: [...fields.paths()] }));
		const count = named.reduce((sum, { paths }) => sum + paths.length, 0);
		super(
			count === 1
				? `Apply failed with 1 conflict: conflict with ${named[0]?.who ?? ''}: ${named[0]?.paths[0] ?? ''}`
				: `Apply failed with ${count} conflicts: ${named
						.toSorted((a, b) => (a.who < b.who ? -1 : 1))
						.map(({ who, paths }) => `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join('\n')}`)
						.join('\n')}`,
		);
		this.causes = named.flatMap(({ who, paths }) =>
			paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
		);
	}
}

function describe({ manager, operation, apiVersion, subresource, time }: Manager): string {
	const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
	if (operation === 'Apply') return name;
	return `${name} using ${apiVersion}${time === undefined ? '' : ` at ${time}`}`;
}
