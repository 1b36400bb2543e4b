/** What an Accept header asks for, of what a kind can be answered as. Pure. Follows apiserver's negotiation, its texts included. */
import { StatusError } from '../../../api/status.ts';
import { isTrue } from '../request/request-info.ts';

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** The object itself, or a view of it. */
export type View = 'object' | 'table' | 'metadata' | 'metadataList';

export interface Wanted {
	readonly mediaType: MediaType;
	readonly view: View;
	/** Version of meta.k8s.io the view is written in. */
	readonly viewVersion: string;
	readonly pretty: boolean;
}

const MEDIA_TYPES: readonly MediaType[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PLAIN: Wanted = { mediaType: 'application/json', view: 'object', viewVersion: '', pretty: false };
const VIEWS: Readonly<Record<string, View>> = {
	Table: 'table',
	PartialObjectMetadata: 'metadata',
	PartialObjectMetadataList: 'metadataList',
};

export interface AcceptClause {
	readonly type: string;
	readonly params: ReadonlyMap<string, string>;
	readonly q: number;
}

const known = new Map<string, Wanted>();

/** @param watch a stream of events: YAML cannot be one */
export function wanted(accept: string | undefined, query: URLSearchParams, watch = false): Wanted {
	if ((accept === 'application/json' || accept === undefined || accept === '*/*') && !query.has('pretty')) return PLAIN;
	const key = `${watch} ${query.get('pretty') ?? '-'} ${accept ?? ''}`;
	let found = known.get(key);
	if (found === undefined) {
		found = choose(accept ?? '', query, watch);
		if (known.size > 200) known.clear();
		known.set(key, found);
	}
	return found;
}

/** For what has no columns (reviews, tokens, bindings): a table cannot be asked of it. */
export function refuseTable(accept: string | undefined, query: URLSearchParams): void {
	if (wanted(accept, query).view === 'table') throw notAcceptable(true, false);
}

function choose(accept: string, query: URLSearchParams, watch: boolean): Wanted {
	const clauses = parseAccept(accept);
	let sawMediaType = false;
	for (const { type, params } of clauses) {
		const mediaType = type === '*/*' || type === 'application/*' ? 'application/json' : MEDIA_TYPES.find((m) => m === type);
		if (mediaType === undefined || type === 'application/*') continue;
		sawMediaType = true;
		if (watch && mediaType === 'application/yaml') continue;
		const as = params.get('as');
		const pretty = prettyAsked(params.get('pretty'), query);
		if (as === undefined) return { mediaType, view: 'object', viewVersion: '', pretty };
		const view = VIEWS[as];
		const version = params.get('v') ?? '';
		const versions = view === 'table' ? ['v1', 'v1beta1'] : ['v1', 'v1beta1'];
		if (view === undefined || params.get('g') !== 'meta.k8s.io' || !versions.includes(version)) continue;
		return { mediaType, view, viewVersion: version, pretty };
	}
	throw notAcceptable(sawMediaType, watch);
}

function prettyAsked(param: string | undefined, query: URLSearchParams): boolean {
	if (query.has('pretty')) return isTrue(query.get('pretty'));
	return param !== undefined && isTrue(param);
}

/** Clauses in order of preference; without any, everything is accepted. */
export function parseAccept(accept: string | undefined): AcceptClause[] {
	if (accept === undefined || accept.trim() === '') return [{ type: '*/*', params: new Map(), q: 1 }];
	return accept
		.split(',')
		.map((text) => {
			const [type = '', ...rest] = text.split(';').map((part) => part.trim());
			const params = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
			return { type: type.toLowerCase(), params, q: Number(params.get('q') ?? 1) };
		})
		.sort((a, b) => b.q - a.q);
}

/** Upstream words it in two ways: by its web framework when no media type fits at all, by its own negotiation otherwise. */
function notAcceptable(sawMediaType: boolean, watch: boolean): StatusError {
	const types = MEDIA_TYPES.join(', ');
	if (!sawMediaType)
		return new StatusError({
			metadata: {},
			status: 'Failure',
			message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
			reason: 'NotAcceptable',
			details: {},
			code: 406,
		});
	const accepted = watch ? 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch' : types;
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: `only the following media types are accepted: ${accepted}`,
		reason: 'NotAcceptable',
		code: 406,
	});
}
