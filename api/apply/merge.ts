/** Lays an apply configuration over the live object: its values win, keyed lists and maps are merged, the rest stays. */
import { itemElement, type PathElement } from './path-element.ts';
import { childShape, deduce, isEmpty, isFields, type Fields, type ListShape, type Shape } from './shape.ts';
import { ownField, setOwn } from '../own-field.ts';

export function merge(shape: Shape, live: unknown, config: unknown): unknown {
	if (config === undefined) return live;
	if (live === undefined && shape.type === 'untyped') return config;
	const known = deduce(shape, config);
	if (known.type === 'scalar' || (known.type === 'list' ? known.how === 'atomic' : known.atomic)) return config;
	if (known.type === 'list') {
		const [a, b] = [live, config].map((value): readonly unknown[] => (Array.isArray(value) ? value : []));
		return isEmpty(a) && isEmpty(b) ? config : mergeLists(known, a ?? [], b ?? []);
	}
	const out: Fields = {};
	const a: Fields = isFields(live) ? live : {};
	const b: Fields = isFields(config) ? config : {};
	if (isEmpty(a) && isEmpty(b)) return config;
	for (const name of Object.keys(a)) setOwn(out, name, merge(childShape(known, name), a[name], ownField(b, name)));
	for (const name of Object.keys(b)) if (!Object.hasOwn(a, name)) setOwn(out, name, merge(childShape(known, name), undefined, b[name]));
	return out;
}

/** The configuration's order wins among the items both have; live items keep their place as far as that allows. */
function mergeLists(shape: ListShape, live: readonly unknown[], config: readonly unknown[]): unknown[] {
	const liveAt = live.map((item) => elementOf(shape, item));
	const configAt = config.map((item) => elementOf(shape, item));
	const lives = new Map<PathElement, unknown>();
	const repeated = new Set<PathElement>();
	for (const [i, element] of liveAt.entries()) {
		if (lives.has(element)) repeated.add(element);
		lives.set(element, live[i]);
	}
	const configs = new Map(configAt.map((element, i) => [element, config[i]]));
	const shared = configAt.filter((element) => lives.has(element));
	const merged = new Set<PathElement>();
	const out: unknown[] = [];
	const mergeItem = (element: PathElement): void => {
		merged.add(element);
		out.push(merge(shape.items, repeated.has(element) ? undefined : lives.get(element), configs.get(element)));
	};
	let next = shared.shift();
	let l = 0;
	let c = 0;
	while (l < live.length || c < config.length) {
		const left = liveAt[l];
		const right = configAt[c];
		if (left !== undefined && right !== undefined) {
			if (left === right) {
				mergeItem(left);
				l++;
				c++;
				next = shared.shift();
				continue;
			}
			if (configs.has(left) && next !== undefined && next !== left) {
				l++;
				continue;
			}
		}
		if (left !== undefined) {
			if (!configs.has(left)) {
				out.push(live[l]);
				l++;
				continue;
			}
			if (merged.has(left)) l++;
		}
		if (right !== undefined) {
			mergeItem(right);
			c++;
			if (next === right) next = shared.shift();
		}
	}
	return out;
}

/** An item without a key stands for itself. */
function elementOf(shape: ListShape, item: unknown): PathElement {
	const element = itemElement(shape, item);
	return element instanceof Error ? `i:${JSON.stringify(item)}` : element;
}
