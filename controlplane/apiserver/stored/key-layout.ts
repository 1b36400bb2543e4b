/** Where upstream keeps each kind in etcd (pkg/kubeapiserver/default_storage_factory_builder.go, pkg/registry/*), and back. */
import type { Kind } from '../registry/kinds.ts';
import { customFolder, unmarked } from '../../storage/custom-folder.ts';

/** Kinds whose folder is not their plural name. */
const FOLDERS: Readonly<Record<string, string>> = {
	'/nodes': 'minions',
	'/services': 'services/specs',
	'/endpoints': 'services/endpoints',
	'/replicationcontrollers': 'controllers',
	'networking.k8s.io/ingresses': 'ingress',
	'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
	'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
};

/** Which ports and addresses are taken: an object, but of no served kind. */
const RANGES: Folder = { inner: '/core/ranges/', outer: 'ranges/', kind: undefined };

/** The leases of the API servers that share the store. */
const LEASES: readonly Folder[] = ['masterleases/', 'peerserverleases/'].map((outer) => ({
	inner: `/core/${outer}`,
	outer,
	kind: undefined,
}));

interface Folder {
	/** "/core/pods/" */
	readonly inner: string;
	/** "pods/" */
	readonly outer: string;
	readonly kind: Kind | undefined;
}

/** Below upstream's prefix: "pods/". */
export function outerFolder({ resource: { group, plural } }: Kind): string {
	return `${FOLDERS[`${group}/${plural}`] ?? plural}/`;
}

export class KeyLayout {
	readonly #byInner = new Map<string, Folder>();
	/** By the first one and by the first two segments. */
	readonly #byOuter = new Map<string, Folder>();
	readonly #prefix: string;

	/** `prefix`: "/registry/". Kinds that are another version of a stored one are left out. */
	constructor(prefix: string, kinds: Iterable<Kind>) {
		this.#prefix = prefix;
		this.#add(RANGES);
		for (const leases of LEASES) this.#add(leases);
		for (const kind of kinds) {
			if (kind.conversion !== undefined) continue;
			this.#add({ inner: kind.prefix, outer: outerFolder(kind), kind });
		}
	}

	#add(folder: Folder): void {
		this.#byInner.set(folder.inner, folder);
		this.#byOuter.set(folder.outer, folder);
	}

	/** The built-in kind of a key of the store. */
	kindOf(key: string): Kind | undefined {
		return this.#byInner.get(head(key, 3))?.kind;
	}

	isCustom(key: string): boolean {
		return !this.#byInner.has(head(key, 3));
	}

	toKey(key: string): string {
		const folder = this.#byInner.get(head(key, 3));
		return this.#prefix + (folder === undefined ? unmarked(key).slice(1) : folder.outer + key.slice(folder.inner.length));
	}

	/** Undefined for keys that hold no API object (compaction marks and the like). */
	fromKey(etcdKey: string): string | undefined {
		if (!etcdKey.startsWith(this.#prefix)) return undefined;
		const rest = etcdKey.slice(this.#prefix.length);
		const folder = this.#byOuter.get(head(rest, 2)) ?? this.#byOuter.get(head(rest, 1));
		if (folder !== undefined) return folder.inner + rest.slice(folder.outer.length);
		// Custom resources stand below their group, which always has a dot.
		const [group, plural] = head(rest, 2).split('/');
		if (group?.includes('.') !== true || plural === undefined) return undefined;
		return customFolder(group, plural) + rest.slice(group.length + plural.length + 2);
	}
}

/** The first `count` slashes and what is before them. */
function head(text: string, count: number): string {
	let at = -1;
	for (let i = 0; i < count; i++) {
		at = text.indexOf('/', at + 1);
		if (at < 0) return '';
	}
	return text.slice(0, at + 1);
}
