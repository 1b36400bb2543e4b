/** What an apply answers when other managers own what it wants to change. */
import type { StatusCause } from '../gen/types.ts';
import { StatusError } from '../status.ts';
import type { FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';

export interface Conflict {
	readonly manager: Manager;
	readonly fields: FieldSet;
}

/** 409 with reason Conflict and no details but the causes. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
	const named = conflicts.map(({ manager, fields }) => ({ who: describe(manager), paths: [...fields.paths()] }));
	const count = named.reduce((sum, { paths }) => sum + paths.length, 0);
	const [first] = named;
	const list = named
		.toSorted((a, b) => (a.who < b.who ? -1 : 1))
		.map(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)].join('\n'));
	const message =
		count === 1
			? `Apply failed with 1 conflict: conflict with ${first?.who ?? ''}: ${first?.paths[0] ?? ''}`
			: `Apply failed with ${count} conflicts: ${list.join('\n')}`;
	const causes = named.flatMap(({ who, paths }) =>
		paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
	);
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'Conflict', details: { causes }, code: 409 });
}

function describe({ manager, operation, apiVersion, subresource, time }: Manager): string {
	const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
	if (operation === 'Apply') return name;
	return `${name} using ${apiVersion}${time === undefined ? '' : ` at ${time}`}`;
}
