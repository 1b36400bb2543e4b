/** How a list is written item by item, in each encoding: the bytes are those of the whole document. */
import { encodeBody, PROTOBUF } from '../../../api/codec/codec.ts';
import { listEnvelope } from '../../../api/codec/list-envelope.ts';
import { formatted } from './formats.ts';
import type { Wanted } from './accept.ts';

export interface ListForm {
	/** The item, behind what parts it from the one before. */
	item(object: object, isFirst: boolean): Uint8Array;
	/** What stands before and behind all items. */
	around(itemBytes: number): { readonly first: Uint8Array; readonly last: Uint8Array };
	/** How long the items are stands before them. */
	readonly saysLength: boolean;
}

/** The key under which a list has its items. */
type ItemsKey = 'items' | 'rows';
type Document = { readonly apiVersion: string; readonly kind: string } & { readonly [K in ItemsKey]?: readonly object[] };

/** @param list with no items, but with their key. It has at least one. */
export function listForm(list: Document, key: ItemsKey, { mediaType, pretty }: Pick<Wanted, 'mediaType' | 'pretty'>): ListForm {
	if (mediaType === 'application/yaml') return yamlForm(list, key);
	if (mediaType === PROTOBUF) {
		const { items: _, ...head } = list;
		const envelope = listEnvelope(head);
		if (envelope !== undefined) return { ...envelope, saysLength: true };
	}
	return jsonForm(list, key, pretty);
}

/** The items stand last in every list. */
function jsonForm(list: Document, key: ItemsKey, pretty: boolean): ListForm {
	const text = (object: object): string => Buffer.from(formatted(object, 'application/json', pretty)).toString();
	const [behind, empty] = [pretty ? '\n  ]\n}' : ']}\n', pretty ? ']\n}' : ']}\n'];
	const whole = text(list);
	const [first, last] = [Buffer.from(whole.slice(0, whole.length - empty.length)), Buffer.from(behind)];
	const before = text({ [key]: [] }).length - empty.length;
	return {
		item(object, isFirst) {
			const alone = text({ [key]: [object] });
			return Buffer.from(`${isFirst ? '' : ','}${alone.slice(before, alone.length - behind.length)}`);
		},
		around: () => ({ first, last }),
		saysLength: false,
	};
}

/** Keys are sorted, so that some stand behind the items; lists are no deeper than their key. */
function yamlForm(list: Document, key: ItemsKey): ListForm {
	const text = (object: object): string => Buffer.from(encodeBody(object, 'application/yaml')).toString();
	const whole = `\n${text(list)}`;
	const at = whole.indexOf(`\n${key}: []\n`);
	const [name, none] = [`${key}:\n`, `\n${key}: []\n`];
	const first = Buffer.from(`${whole.slice(0, at)}\n${name}`.slice(1));
	const last = Buffer.from(whole.slice(at + none.length));
	return {
		item: (object) => Buffer.from(text({ [key]: [object] }).slice(name.length)),
		around: () => ({ first, last }),
		saysLength: false,
	};
}
