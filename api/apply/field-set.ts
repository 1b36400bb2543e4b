/** A set of field paths as a tree, and its arithmetic. Sets are never changed once handed out. */
import { compareElements, elementText, fieldName, SELF, storedElement, UNKNOWN, type PathElement } from './path-element.ts';
import { childShape, isDeclared, UNTYPED, type Fields, type Shape } from './shape.ts';

const FEW = 16;
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

export class FieldSet {
	/** The path itself is a member. */
	own = false;
	/** One empty map for all leaves, which most of a set's nodes are. */
	#children: Map<PathElement, FieldSet> | undefined;

	get children(): ReadonlyMap<PathElement, FieldSet> {
		return this.#children ?? NO_CHILDREN;
	}

	/** For who builds a set only. */
	put(element: PathElement, child: FieldSet): void {
		(this.#children ??= new Map()).set(element, child);
	}

	static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
		const set = new FieldSet();
		for (const path of paths) set.insert(path);
		return set;
	}

	insert(path: readonly PathElement[], from = 0): void {
		const element = path[from];
		if (element === undefined) {
			this.own = true;
			return;
		}
		let child = this.children.get(element);
		if (child === undefined) {
			child = new FieldSet();
			this.put(element, child);
		}
		child.insert(path, from + 1);
	}

	get isEmpty(): boolean {
		return !this.own && this.children.size === 0;
	}

	/** Member and subset below an element. */
	child(element: PathElement): FieldSet | undefined {
		return this.children.get(element);
	}

	union(other: FieldSet): FieldSet {
		return combine(this, other, (a, b) => a || b);
	}

	intersection(other: FieldSet): FieldSet {
		return combine(this, other, (a, b) => a && b);
	}

	/** Paths of this set that are not paths of the other one; what lies below a removed path stays. */
	difference(other: FieldSet): FieldSet {
		return combine(this, other, (a, b) => a && !b);
	}

	/** As difference, and everything below a path of the other set goes too. */
	without(other: FieldSet): FieldSet {
		if (!this.#meets(other)) return this;
		const out = new FieldSet();
		out.own = this.own && !other.own;
		if (other.own) return out;
		for (const [element, child] of this.children) {
			const cut = other.children.get(element);
			keep(out, element, cut === undefined ? child : child.without(cut));
		}
		return out;
	}

	/** Something of the other set is here, or below something that is. */
	#meets(other: FieldSet): boolean {
		if (other.own) return true;
		for (const element of other.children.keys()) if (this.children.has(element)) return true;
		return false;
	}

	/** Paths of this set at or below a path of the other one. */
	within(other: FieldSet): FieldSet {
		if (other.own) return this;
		const out = new FieldSet();
		for (const [element, child] of this.children) {
			const part = other.children.get(element);
			if (part !== undefined) keep(out, element, child.within(part));
		}
		return out;
	}

	/** Makes declared fields on the way to a member members too, so that removing them is seen. */
	withNamedFields(shape: Shape): FieldSet {
		const out = new FieldSet();
		out.own = this.own;
		for (const [element, child] of this.children) {
			const name = fieldName(element);
			const next =
				name === undefined
					? shape.type === 'list'
						? shape.items
						: UNTYPED
					: shape.type === 'fields' || shape.type === 'map'
						? childShape(shape, name)
						: UNTYPED;
			const made = child.withNamedFields(next);
			if (name !== undefined && isDeclared(shape, name)) made.own = true;
			out.put(element, made);
		}
		return out;
	}

	/** Every path as text, in upstream's order: members of a level first. */
	*paths(prefix = ''): Generator<string> {
		const { children } = this;
		const elements = this.#elements();
		for (const element of elements) if (children.get(element)?.own === true) yield prefix + elementText(element);
		for (const element of elements) yield* (children.get(element) as FieldSet).paths(prefix + elementText(element));
	}

	equals(other: FieldSet): boolean {
		if (this.own !== other.own || this.children.size !== other.children.size) return false;
		for (const [element, child] of this.children) {
			const match = other.children.get(element);
			if (match === undefined || !child.equals(match)) return false;
		}
		return true;
	}

	toFieldsV1(): Fields {
		const { children } = this;
		const out: Fields = {};
		if (this.own) out[SELF] = {};
		for (const element of this.#elements()) {
			const child = children.get(element) as FieldSet;
			out[element] = child.children.size === 0 ? {} : child.toFieldsV1();
		}
		return out;
	}

	/** In upstream's order. Most are few, and in order as they come: what the machine's sort takes for itself is more than they hold. */
	#elements(): readonly PathElement[] {
		const elements = [...this.children.keys()];
		if (elements.length > FEW) return elements.sort(compareElements);
		for (let i = 1; i < elements.length; i++) {
			const element = elements[i] as PathElement;
			let at = i;
			for (; at > 0 && compareElements(elements[at - 1] as PathElement, element) > 0; at--) elements[at] = elements[at - 1] as PathElement;
			elements[at] = element;
		}
		return elements;
	}

	/** Elements of a kind that nobody knows are left out; undefined for a set with one that cannot be read. */
	static fromFieldsV1(fields: unknown): FieldSet | undefined {
		const out = new FieldSet();
		for (const [text, value] of Object.entries((fields ?? {}) as Fields)) {
			const element = text === SELF ? text : storedElement(text);
			if (element === undefined) return undefined;
			if (element === SELF) {
				out.own = true;
				continue;
			}
			if (element === UNKNOWN) continue;
			const child = FieldSet.fromFieldsV1(value);
			if (child === undefined) return undefined;
			if (child.children.size === 0) child.own = true;
			out.put(element, child);
		}
		return out;
	}
}

function keep(out: FieldSet, element: PathElement, child: FieldSet): void {
	if (!child.isEmpty) out.put(element, child);
}

const NONE = new FieldSet();

/** Parts that only one of the two has are shared, not copied. */
function combine(a: FieldSet, b: FieldSet, own: (a: boolean, b: boolean) => boolean): FieldSet {
	if (b.isEmpty) return own(true, false) ? a : NONE;
	if (a.isEmpty) return own(false, true) ? b : NONE;
	const out = new FieldSet();
	out.own = own(a.own, b.own);
	a.children.forEach((child, element) => keep(out, element, combine(child, b.children.get(element) ?? NONE, own)));
	b.children.forEach((child, element) => {
		if (!a.children.has(element)) keep(out, element, combine(NONE, child, own));
	});
	return out;
}
