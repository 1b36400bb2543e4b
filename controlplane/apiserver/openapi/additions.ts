/** Documents of what is not built in: custom resources, and what aggregated servers publish. Made again when the kinds changed. */
import { customParts, type CustomResource } from '../../../api/openapi/custom.ts';
import {
	addressOf,
	openApiV3Paths,
	openApiV3With,
	type Additions,
	type Document,
	type DocumentAddress,
} from '../../../api/openapi/documents.ts';
import type { Describe, Flavour } from '../../../api/openapi/schemas.ts';
import type { ResourceRow } from '../../../api/resource.ts';
import type { Kinds } from '../registry/kinds.ts';

type Describing = () => Describe;

/** Custom resources of a group version. */
interface Group {
	readonly group: string;
	readonly version: string;
	readonly resources: CustomResource[];
}

export class CustomDocuments {
	readonly #kinds: Kinds;
	readonly #describing: Describing;
	#revision: number | undefined;
	/** By "apis/GROUP/VERSION". */
	#groups = new Map<string, Group>();
	readonly #documents = new Map<string, Document>();
	#additions: Additions | undefined;

	constructor(kinds: Kinds, describing: Describing) {
		this.#kinds = kinds;
		this.#describing = describing;
	}

	/** Of version 3; undefined for a path that has none. */
	document(path: string): Document | undefined {
		this.#follow();
		const found = this.#groups.get(path);
		if (found === undefined) return undefined;
		let document = this.#documents.get(path);
		if (document === undefined) {
			document = openApiV3With(this.#parts(found, 'v3', this.#describing()));
			this.#documents.set(path, document);
		}
		return document;
	}

	addresses(): Readonly<Record<string, DocumentAddress>> {
		this.#follow();
		return Object.fromEntries([...this.#groups.keys()].map((path) => [path, addressOf(path, this.document(path) as Document)]));
	}

	/** For version 2; undefined: there is nothing to add. The same object as long as nothing changed. */
	additions(): Additions | undefined {
		this.#follow();
		if (this.#groups.size === 0) return undefined;
		if (this.#additions === undefined) {
			const describe = this.#describing();
			const all = [...this.#groups.values()].map((group) => this.#parts(group, 'v2', describe));
			this.#additions = {
				paths: Object.assign({}, ...all.map(({ paths }) => paths)) as Additions['paths'],
				schemas: Object.assign({}, ...all.map(({ schemas }) => schemas)) as Additions['schemas'],
				parameters: Object.assign({}, ...all.map(({ parameters }) => parameters)) as Additions['schemas'],
			};
		}
		return this.#additions;
	}

	#parts({ group, version, resources }: Group, flavour: Flavour, describe: Describe): Additions {
		return customParts(group, version, resources, flavour, describe);
	}

	#follow(): void {
		if (this.#revision === this.#kinds.revision) return;
		this.#revision = this.#kinds.revision;
		this.#documents.clear();
		this.#additions = undefined;
		this.#groups = new Map();
		const builtIn = new Set(openApiV3Paths());
		for (const { resource, custom, strategy } of this.#kinds.all()) {
			const path = `apis/${resource.group}/${resource.version}`;
			if (custom === undefined || builtIn.has(path)) continue;
			const { group, version } = resource;
			const known = this.#groups.get(path) ?? { group, version, resources: [] };
			const { listKind, schema, keepsUnknown } = custom;
			const selectableFields = Object.keys(strategy.fields ?? {});
			known.resources.push({ row: resource as ResourceRow, listKind, schema, keepsUnknown, selectableFields });
			this.#groups.set(path, known);
		}
	}
}
