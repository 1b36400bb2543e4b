/** What an Accept header asks for, of what a kind can be answered as. Pure. Follows apiserver's negotiation, its texts included. */
import { goBool } from '../../../api/go-bool.ts';
import { methodNotAllowed, notAcceptable, StatusError } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';

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

export const MEDIA_TYPES: readonly MediaType[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
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

/** What a path can answer. */
export interface Offer {
	/** A stream of events: YAML cannot be one. */
	readonly watch?: boolean;
	/** A custom resource: its objects have no protobuf form, their metadata has. */
	readonly custom?: boolean;
	/** Rows can be made of it; so it is unless told. */
	readonly tables?: boolean;
}

/** What of a request says in which form it is answered. */
type Asked = Pick<ApiRequest, 'headers' | 'query'>;

const known = new Map<string, Wanted>();
const ANYTHING: Offer = {};

export function wanted(request: Asked, offer: Offer = ANYTHING): Wanted {
	const accept = request.headers['accept'];
	const pretty = isForPeople(request);
	if ((accept === 'application/json' || accept === undefined || accept === '*/*') && !pretty) return PLAIN;
	const key = `${offer.watch ?? false} ${offer.custom ?? false} ${pretty} ${accept ?? ''}`;
	let found = known.get(key);
	if (found === undefined) {
		found = choose(accept, pretty, offer);
		if (known.size > 200) known.clear();
		known.set(key, found);
	}
	return found;
}

/** For what has no columns (reviews, tokens, bindings): a table cannot be asked of it. */
export function refuseTable(accept: string | undefined): void {
	choose(accept, false, { tables: false });
}

/** The type of an error, which is shown as it is or, where only views are accepted, in JSON for people. */
export function errorType(request: Asked): Pick<Wanted, 'mediaType' | 'pretty'> {
	const pretty = isForPeople(request);
	for (const clause of parseAccept(request.headers['accept']))
		for (const mediaType of matching(clause)) {
			const view = viewAsked(clause, mediaType, ANYTHING);
			if (view?.view === 'object') return { mediaType, pretty: pretty || saysPretty(clause) };
		}
	// Upstream's WriteRawJSON.
	return { ...PLAIN, pretty: true };
}

function choose(accept: string | undefined, pretty: boolean, offer: Offer): Wanted {
	for (const clause of parseAccept(accept))
		for (const mediaType of matching(clause)) {
			const view = viewAsked(clause, mediaType, offer);
			if (view === undefined) continue;
			if (offer.watch === true && mediaType === 'application/yaml') throw notAcceptable(STREAM_TYPES);
			return { mediaType, ...view, pretty: pretty || saysPretty(clause) };
		}
	throw notAcceptable(MEDIA_TYPES);
}

/** Types that the clause names, the preferred one first. */
function matching({ type }: AcceptClause): readonly MediaType[] {
	return type === '*/*' || type === 'application/*' ? MEDIA_TYPES : MEDIA_TYPES.filter((one) => one === type);
}

/** Undefined: the clause asks for what cannot be had in this type. */
function viewAsked({ params }: AcceptClause, mediaType: MediaType, offer: Offer): Pick<Wanted, 'view' | 'viewVersion'> | undefined {
	const stream = params.get('stream') ?? '';
	if (stream !== '' && (stream !== 'watch' || mediaType === 'application/yaml')) return undefined;
	const isProtobuf = mediaType === 'application/vnd.kubernetes.protobuf';
	const { as = '', g: group = '', v: version = '' } = Object.fromEntries(params) as Readonly<Record<string, string | undefined>>;
	if (as === '' && group === '' && version === '')
		return offer.custom === true && isProtobuf ? undefined : { view: 'object', viewVersion: '' };
	const view = VIEWS[as];
	if (view === undefined || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
	if (view === 'table' && (isProtobuf || offer.tables === false)) return undefined;
	return { view, viewVersion: version };
}

function saysPretty({ params }: AcceptClause): boolean {
	return params.get('pretty') === '1';
}

/** As the query says or, where it does not, because people read what their browser or command shows (upstream's isPrettyPrint). */
function isForPeople({ headers, query }: Asked): boolean {
	const said = query.size === 0 ? '' : (query.get('pretty') ?? '');
	if (said !== '') return goBool(said) === true;
	const agent = headers['user-agent'] ?? '';
	return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

/** Clauses in order of preference; without any, everything is accepted. */
export function parseAccept(accept: string | undefined): AcceptClause[] {
	if (accept === undefined || accept.trim() === '') return [{ type: '*/*', params: new Map(), q: 1 }];
	return accept
		.split(',')
		.map((text) => {
			const [type = '', ...rest] = text.split(';').map((part) => part.trim());
			const params = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
			return { type: type === '*' ? '*/*' : type, params, q: Number(params.get('q') ?? 1) };
		})
		.sort((a, b) => b.q - a.q || breadth(a) - breadth(b));
}

/** Of two that are liked as much, the one that says more comes first. */
function breadth({ type }: AcceptClause): number {
	return type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0;
}

/** What upstream's framework serves has a route for GET and none for HEAD or another method. StatusError MethodNotAllowed. */
export function onlyGet({ method }: ApiRequest): void {
	if (method !== 'GET') throw methodNotAllowed();
}

/**
 * What upstream's web framework does before a handler is asked: one of the types must be named, or any. It knows neither parts of types nor
 * parameters. StatusError NotAcceptable in its words.
 */
export function refuseUnlisted(accept: string | undefined, types: readonly string[] = MEDIA_TYPES): void {
	if (accept === undefined || accept === '') return;
	const named = accept.split(',').map((clause) => (clause.split(';', 1)[0] ?? '').trim());
	if (named.some((type) => type === '*/*' || types.includes(type))) return;
	throw new StatusError({
		metadata: {},
		status: 'Failure',
		message: `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`,
		reason: 'NotAcceptable',
		details: {},
		code: 406,
	});
}

const isUsual = (accept: string | undefined): boolean =>
	accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json';

/** What a client must accept of a resource's path before anything is said of its kind. StatusError NotAcceptable. */
export function negotiatePath({ headers }: Asked, path: { readonly custom: boolean; readonly types: readonly string[] }): void {
	const accept = headers['accept'];
	if (!isUsual(accept) && !path.custom) refuseUnlisted(accept, path.types);
}

/** And of its views, before its verb is asked. StatusError NotAcceptable. */
export function negotiateView(request: Asked, path: { readonly custom: boolean; readonly tables: boolean }): void {
	const accept = request.headers['accept'];
	if (isUsual(accept)) return;
	if (!path.tables) refuseTable(accept);
	else wanted(request, { custom: path.custom });
}

/** Of a path that lists; and of one that streams a log. */
export const LIST_TYPES: readonly string[] = [...MEDIA_TYPES, ...STREAM_TYPES];
export const LOG_TYPES: readonly string[] = ['text/plain', ...MEDIA_TYPES];
