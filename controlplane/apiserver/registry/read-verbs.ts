/** The verbs that only read: get, list, watch. */
import { badRequest, notFound } from '../../../api/status.ts';
import { answerList, answerPiece } from '../answer/objects.ts';
import { lineOften } from '../answer/canonical.ts';
import { commonHeaders } from '../answer/formats.ts';
import { answerMessages, socketAsked } from '../answer/event-messages.ts';
import { eventEncoder } from '../answer/events.ts';
import { objectEvents } from '../answer/object-events.ts';
import { WholeBody } from '../answer/pushed-body.ts';
import { listOptions, parseVersion } from '../request/options.ts';
import { isTrue } from '../request/request-info.ts';
import { checkPathName } from '../request/path-name.ts';
import type { ApiRequest, ApiResponse, Maybe } from '../contracts.ts';
import type { Parts } from './context.ts';
import { storeKey } from './kinds.ts';
import { freshAs, freshNow } from './freshness.ts';
import { list } from './list.ts';
import type { Target, Verb } from './verb.ts';
import { EVERYTHING, selection } from './selection.ts';
import { watch } from './watch.ts';
import { isPaged, readyToList, readyToSelect } from './ready-to-list.ts';

const get: Verb = (parts, request, target) => {
	if (request.query.has('export') && isTrue(request.query.get('export')))
		throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
	const asked = request.query.size === 0 ? undefined : parseVersion(request.query.get('resourceVersion') ?? '');
	if (asked === 0n || (asked === undefined && !parts.store.shared)) return getNow(parts, request, target);
	// Another server may have written it.
	if (asked === undefined) return freshNow(parts, request.signal).then(() => getNow(parts, request, target));
	return freshAs(parts, asked, request.signal).then(() => getNow(parts, request, target));
};

const getNow = (parts: Parts, request: ApiRequest, { kind, namespace, name }: Target): Maybe<ApiResponse> => {
	checkPathName(name);
	const entry = parts.store.get(storeKey(kind, namespace, name));
	if (entry === undefined) throw notFound(kind.resource, name);
	const ready = kind.custom?.ready([entry.value], request.signal);
	const answer = (): ApiResponse => answerPiece(request, kind, entry, 200, parts.clock.now(), lineOften);
	return ready === undefined ? answer() : ready.then(answer);
};

const listVerb: Verb = async (parts, request, { kind, namespace, name }) => {
	const { query } = request;
	const options = listOptions(query, false);
	const selected =
		options.labelSelector === '' && options.fieldSelector === '' && name === ''
			? EVERYTHING
			: selection(kind, options.labelSelector, options.fieldSelector, name);
	if (!selected.all) await readyToSelect(parts, kind, namespace, request.signal, isPaged(options));
	const found = await list(parts, kind, namespace, selected, options, request.signal);
	parts.measures?.listed(kind, found);
	await readyToList(parts.turns, kind, found.entries, request.signal, isPaged(options));
	return answerList(request, kind, found, parts.clock.now(), parts.turns);
};

const watchVerb: Verb = async (parts, request, { kind, namespace, name }) => {
	const options = listOptions(request.query, true);
	const watched = { kind, namespace, name };
	const objects = objectEvents(parts.parsed, request, kind);
	if (objects !== undefined) {
		const events = await watch(parts, watched, options, objects, request);
		return { type: 'stream', status: 200, headers: commonHeaders('application/json'), body: NO_BODY, events };
	}
	const { encoder, contentType } = eventEncoder(request, kind, () => parts.clock.now());
	const body = await watch(parts, watched, options, encoder, request);
	const take = socketAsked(request);
	if (take !== undefined) return answerMessages(request, take, body, contentType === 'application/json');
	return { type: 'stream', status: 200, headers: commonHeaders(contentType), body };
};

const NO_BODY = new WholeBody(new Uint8Array());

export const readVerbs: Readonly<Record<string, Verb>> = { get, list: listVerb, watch: watchVerb };
