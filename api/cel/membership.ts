/** Lists of schemas that are sets, or maps by keys of their items: equal in any order, and joined without doubles. */
import { ArrayList, MapValue, typeNameOf, Uint, type ListValue, type Membership, type Value } from './values.ts';

const SET: Membership = { keyOf: textOf, isKeyed: false };

/** @param members 'set', or the fields that key items */
export function membershipOf(members: 'set' | readonly string[]): Membership {
	if (members === 'set') return SET;
	return {
		isKeyed: true,
		keyOf: (item) => JSON.stringify(members.map((field) => (item instanceof MapValue ? textOf(item.get(field) ?? null) : ''))),
	};
}

function textOf(value: Value): string {
	const plain = value instanceof Uint ? value.value : value;
	return `${typeNameOf(value)} ${typeof plain === 'object' ? JSON.stringify(plain) : String(plain)}`;
}

/** One list after the other; of members with one key the later stands where the earlier stood. */
export function concatenated(list: ListValue, other: ListValue): ListValue {
	const { membership } = list;
	if (membership === undefined) return new ArrayList([...list, ...other]);
	const items = [...list];
	const places = new Map(items.map((item, i) => [membership.keyOf(item), i]));
	for (const item of other) {
		const place = places.get(membership.keyOf(item));
		if (place === undefined) items.push(item);
		else if (membership.isKeyed) items[place] = item;
	}
	return new ArrayList(items, membership);
}
