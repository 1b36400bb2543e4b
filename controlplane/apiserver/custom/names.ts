/** Which names a definition gets: those that no other definition of its group has (apiextensions naming controller). Pure. */
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../../api/gen/types.ts';

export interface Naming {
	readonly accepted: CustomResourceDefinitionNames;
	/** Undefined: all names are accepted. */
	readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** @param others definitions of the same group */
export function namesOf(definition: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): Naming {
	const wanted: Partial<CustomResourceDefinitionNames> = definition.spec.names ?? {};
	const before: Partial<CustomResourceDefinitionNames> = definition.status?.acceptedNames ?? {};
	const resources = new Set<string>();
	const kinds = new Set<string>();
	// What the definition has itself counts, too: upstream does not let it ask for one of its names in another place.
	for (const { status } of [definition, ...others]) {
		const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
		for (const name of [plural, singular, ...shortNames]) if (name !== undefined && name !== '') resources.add(name);
		for (const name of [kind, listKind]) if (name !== undefined && name !== '') kinds.add(name);
	}
	let conflict: Naming['conflict'];
	const taken = (reason: string, messages: readonly string[]): void => {
		if (messages.length > 0) conflict = { reason, message: messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]` };
	};
	const inUse = (name: string, has: string | undefined, all: ReadonlySet<string>): boolean => name !== '' && name !== has && all.has(name);
	const message = (name: string): string => `${JSON.stringify(name)} is already in use`;
	const accepted: Record<string, unknown> = { plural: before.plural ?? '', kind: before.kind ?? '' };
	const single = (key: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, all: ReadonlySet<string>): void => {
		const name = wanted[key] ?? '';
		if (inUse(name, before[key], all)) {
			taken(reason, [message(name)]);
			if (before[key] !== undefined) accepted[key] = before[key];
		} else if (name !== '') accepted[key] = name;
	};
	single('plural', 'PluralConflict', resources);
	single('singular', 'SingularConflict', resources);
	const { shortNames = [] } = wanted;
	const clashing = shortNames.filter((name) => before.shortNames?.includes(name) !== true && resources.has(name));
	taken('ShortNamesConflict', clashing.map(message));
	const kept = clashing.length > 0 ? (before.shortNames ?? []) : shortNames;
	if (kept.length > 0) accepted['shortNames'] = kept;
	single('kind', 'KindConflict', kinds);
	single('listKind', 'ListKindConflict', kinds);
	if ((wanted.categories ?? []).length > 0) accepted['categories'] = wanted.categories;
	return { accepted: accepted as unknown as CustomResourceDefinitionNames, conflict };
}
