/** Which entries of a kind a request selects, decided by the facts stored beside the bytes. */
import { fieldTest, labelTest } from '../../../api/selector/compiled.ts';
import { parseFieldSelector } from '../../../api/selector/field.ts';
import { parseLabelSelector } from '../../../api/selector/label-text.ts';
import { badRequest } from '../../../api/status.ts';
import type { Encoded } from '../../storage/store.ts';
import type { Kind } from './kinds.ts';

/** What selectors have to know of a kind. */
export interface Selectable {
	readonly resource: Pick<Kind['resource'], 'namespaced'>;
	readonly strategy: Pick<Kind['strategy'], 'fields' | 'fieldAliases' | 'ownFieldLabels'>;
	readonly custom?: Kind['custom'];
}

export interface Selection {
	matches(value: Encoded): boolean;
	/** Everything is selected. */
	readonly all: boolean;
	/** The one name that can match, where the field selector says so. */
	readonly name: string | undefined;
	/** The same of its namespace. */
	readonly namespace?: string | undefined;
}

export const EVERYTHING: Selection = { matches: () => true, all: true, name: undefined };

export function selection(kind: Selectable, labelSelector: string, fieldSelector: string, name = ''): Selection {
	const labels = parseLabelSelector(labelSelector);
	const fields = parseFieldSelector(fieldSelector).map((r) => ({ ...r, field: knownField(kind, r.field) }));
	if (name !== '' && fields.length > 0 && !fields.some((r) => r.field === 'metadata.name' && r.operator !== '!=' && r.value === name))
		throw badRequest("fieldSelector metadata.name doesn't match requested name");
	if (name !== '') fields.push({ field: 'metadata.name', operator: '=', value: name });
	if (labels.length === 0 && fields.length === 0) return EVERYTHING;
	const [matchesLabels, matchesFields] = [labelTest(labels), fieldTest(fields)];
	const { custom } = kind;
	const byFields = (value: Encoded): boolean => matchesFields(custom === undefined ? value.fields : custom.fields(value));
	const only = (field: string): string | undefined => fields.find((r) => r.field === field && r.operator !== '!=')?.value;
	return {
		matches: fields.length === 0 ? (value) => matchesLabels(value.labels) : (value) => matchesLabels(value.labels) && byFields(value),
		all: false,
		name: only('metadata.name'),
		namespace: only('metadata.namespace'),
	};
}

function knownField(kind: Selectable, field: string): string {
	const { fields = {}, fieldAliases = {}, ownFieldLabels = false } = kind.strategy;
	if (Object.hasOwn(fieldAliases, field)) return fieldAliases[field] as string;
	if (
		field === 'metadata.name' ||
		(field === 'metadata.namespace' && (kind.resource.namespaced || ownFieldLabels === false)) ||
		Object.hasOwn(fields, field)
	)
		return field;
	if (typeof ownFieldLabels === 'function') throw badRequest(ownFieldLabels(field));
	throw badRequest(
		ownFieldLabels || kind.custom !== undefined
			? `field label not supported: ${field}`
			: `${JSON.stringify(field)} is not a known field selector: only ${['metadata.name', 'metadata.namespace', ...Object.keys(fields)].map((f) => JSON.stringify(f)).join(', ')}`,
	);
}
