/** What every request goes through: who asks, may they, who serves it, and any error as a Status. Knows nothing of HTTP versions. */
import { StatusError, toStatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { answerStatus } from '../answer/status.ts';
import { sentBytes } from '../answer/sent-bytes.ts';
import { noteAnswer } from '../audit/answers.ts';
import { auditStranger, beginAudit } from '../audit/begin.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Trail } from '../audit/trail.ts';
import type { Impersonated } from '../authn/impersonation-modes.ts';
import { refused } from '../authz/forbidden.ts';
import type { ApiRequest, ApiResponse, Attributes, Authorizer, Decision, Handler, Maybe, UserInfo } from '../contracts.ts';
import type { Fairness, Pass, Refused } from '../fairness/fairness.ts';
import type { IdentityMetrics } from '../metrics/identity-metrics.ts';
import { dryRunLabel, type RequestMetrics } from './metrics.ts';
import { Asked } from './asked.ts';
import { Deadlines, TIMEOUT_MS, timeoutOf } from './deadline.ts';
import { attributesOf } from './attributes.ts';
import { internalError, noRequestInfo, notFoundPath, tooManyRequests } from './not-found.ts';
import { newExchange, type Answer, type Exchange } from './exchange.ts';
import { requestInfo, type RequestInfo, type ResourceInfo } from './request-info.ts';
import { isPlainRead, lastsLong, mayUpgrade } from './lasting.ts';
import { Unserved } from './unserved.ts';

export interface PipelineDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly authorizer: Authorizer;
	readonly metrics: RequestMetrics;
	readonly identities: IdentityMetrics;
	/** Serves resources; undefined when it is none that is served. */
	readonly resources: (info: ResourceInfo, request: ApiRequest) => Maybe<ApiResponse> | undefined;
	/** Serves every other path. */
	readonly paths: (path: string) => Handler | undefined;
	/** Serves paths that another server is behind; undefined: none is. */
	readonly aggregated?: ((path: string) => Handler | undefined) | undefined;
	/** Becomes someone else when the headers ask for it and the user may; undefined when they do not ask. */
	readonly impersonate: (request: ApiRequest, asking: () => Attributes) => Promise<Impersonated | undefined> | undefined;
	/** Decides who is served first when there is more than can be served; undefined: everyone at once. */
	readonly fairness?: Fairness | undefined;
	/** Writes down who did what; undefined: nobody does. */
	readonly auditor?: Auditor | undefined;
}

export class Pipeline {
	readonly #deps: PipelineDeps;
	readonly #deadlines: Deadlines;
	#open = 0;

	constructor(deps: PipelineDeps) {
		this.#deps = deps;
		this.#deadlines = new Deadlines(deps.clock);
	}

	/** Requests on their way; watches and other streams are not counted. */
	get open(): number {
		return this.#open;
	}
	get metrics(): RequestMetrics {
		return this.#deps.metrics;
	}

	/** Whether somebody could take the connection of such a request, for the protocol of its `Upgrade`. */
	mayUpgrade(method: string, { path, query }: Pick<ApiRequest, 'path' | 'query'>, protocol: string): boolean {
		return mayUpgrade(requestInfo(method, path, query), protocol) || this.#deps.aggregated?.(path) !== undefined;
	}

	/**
	 * Never rejects: what goes wrong is an answer too. `authenticate` says who asks. What is known at once is not awaited: a plain read
	 * is answered in the turn it came in.
	 */
	async serve(request: ApiRequest, authenticate: () => Maybe<UserInfo>): Promise<Answer> {
		const { clock } = this.#deps;
		const started = clock.monotonic();
		const auditId = request.headers['audit-id'] || clock.uuid();
		const info = requestInfo(request.method, request.path, request.query);
		const isLong = lastsLong(info, request);
		if (!isLong) this.#open++;
		const exchange = newExchange({ request, info, started, isLong, auditId });
		let response: ApiResponse;
		try {
			response = await this.#answer(exchange, authenticate);
		} catch (error) {
			response = error instanceof Unserved ? internalError(request, error.message) : this.#failure(exchange, error);
		}
		if (exchange.trail !== undefined) {
			response = noteAnswer(exchange.trail, response, info.verb, exchange.failure);
			if (isLong) await exchange.trail.note('ResponseStarted');
		}
		const isOver = response.type === 'bytes';
		if (isLong && !isOver) this.#deps.metrics.long(info, 1);
		const written = isOver ? this.#finish(exchange, response) : undefined;
		if (written !== undefined) await written;
		// A watch takes seats only until it has begun.
		if (!isOver && info.verb === 'watch') exchange.pass?.leave();
		return { response, auditId, flow: exchange.flow?.headers, finished: isOver ? undefined : () => void this.#finish(exchange, response) };
	}

	/** What is to be waited for until the answer may be sent: who asks and asks again must not outrun the audit log. */
	#finish(exchange: Exchange, response: ApiResponse): Promise<unknown> | undefined {
		const { clock, metrics } = this.#deps;
		const { request, info, started, pass, forgetWatch, trail, isLong } = exchange;
		if (!isLong) this.#open--;
		pass?.leave();
		forgetWatch?.();
		trail?.lasted(clock.monotonic() - started);
		const written = trail?.note('ResponseComplete');
		const code = response.type === 'upgraded' ? 101 : response.status;
		if (isLong && response.type !== 'bytes') metrics.long(info, -1);
		metrics.observe(
			info,
			{
				code,
				seconds: (clock.monotonic() - started) / 1000,
				waitedSeconds: (exchange.waitedMs + exchange.mutatingMs + exchange.validatingMs) / 1000,
				bytes: sentBytes(response),
				dryRun: request.query.size === 0 ? '' : dryRunLabel(request.query),
				terminated: code === 429 ? pass === undefined : code === 504,
			},
			info.verb === 'patch' && (request.headers['content-type'] ?? '').startsWith('application/apply-patch'),
		);
		return written;
	}

	async #answer(exchange: Exchange, authenticate: () => Maybe<UserInfo>): Promise<ApiResponse> {
		const { request, info, isLong } = exchange;
		if (info.type === 'path' && info.unreadable === true) return noRequestInfo(request);
		let timeoutMs = 0;
		try {
			if (!isLong) timeoutMs = timeoutOf(request.query);
		} catch (error) {
			return await this.#turnAway(exchange, error);
		}
		const known = this.#identify(exchange, authenticate);
		const user = known instanceof Promise ? await known : known;
		const { auditor, clock } = this.#deps;
		if (auditor !== undefined)
			exchange.trail = await beginAudit(auditor, request, exchange.auditId, attributesOf(user, info, request.query));
		const { trail } = exchange;
		trail?.took('authentication', clock.monotonic() - exchange.started);
		const { notes = [], warnings = [] } = user.remarks?.() ?? {};
		for (const note of notes) trail?.annotate(...note);
		for (const warning of warnings) request.warn(warning);
		let asked = new Asked(request, user, clock, exchange);
		const becoming = this.#deps.impersonate(asked, () => attributesOf(user, info, request.query));
		const becomesAt = clock.monotonic();
		const other = becoming === undefined ? undefined : await becoming;
		if (other !== undefined) {
			asked = new Asked(request, other.user, clock, exchange);
			trail?.impersonates(other.user, other.constraint);
			trail?.took('impersonation', clock.monotonic() - becomesAt);
		}
		const entersAt = clock.monotonic();
		const entered = this.#enter(asked, exchange, timeoutMs);
		const place = entered instanceof Promise ? await entered : entered;
		if (entered instanceof Promise) exchange.waitedMs = clock.monotonic() - entersAt;
		trail?.took('apf-queue-wait', exchange.waitedMs);
		exchange.flow = place?.flow;
		if (place?.type === 'refused') return tooManyRequests(place);
		exchange.pass = place;
		const authorized = this.#authorize(asked, info, trail);
		if (authorized !== undefined) await authorized;
		if (isPlainRead(info) || isLong) {
			const response = this.#route(asked, info);
			return response instanceof Promise ? await response : response;
		}
		const deadline = this.#deadlines.of(request, timeoutMs);
		try {
			return await this.#route(new Asked(request, asked.user, clock, exchange, deadline.signal), info);
		} finally {
			// Not by `using`, which is made of lists and closures where the program is bundled.
			deadline[Symbol.dispose]();
		}
	}

	#identify(exchange: Exchange, authenticate: () => Maybe<UserInfo>): Maybe<UserInfo> {
		const { identities, clock } = this.#deps;
		const seconds = (): number => (clock.monotonic() - exchange.started) / 1000;
		const refused = (error: unknown): Promise<never> => {
			identities.refused(seconds());
			return this.#turnAway(exchange, error);
		};
		const accepted = (user: UserInfo): UserInfo => {
			identities.authenticated(user, seconds());
			return user;
		};
		try {
			const known = authenticate();
			return known instanceof Promise ? known.then(accepted, refused) : accepted(known);
		} catch (error) {
			return refused(error);
		}
	}

	/** Nobody is known to ask. */
	#turnAway({ request, auditId, info }: Exchange, error: unknown): Promise<never> {
		const { auditor } = this.#deps;
		const written = auditor === undefined ? undefined : auditStranger(auditor, request, auditId, info, toStatusError(error));
		if (written === undefined) throw error;
		return written.then(() => Promise.reject(error));
	}

	/** Waits for its turn. Streams that are no watch are not counted: they may last for days. */
	#enter(request: ApiRequest, exchange: Exchange, timeoutMs: number): Maybe<Pass | Refused> | undefined {
		const { fairness } = this.#deps;
		const { info, isLong, started } = exchange;
		const isWatch = info.type === 'resource' && info.verb === 'watch';
		if (fairness === undefined || (isLong && !isWatch)) return undefined;
		// A quarter of its time; a watch has none of its own.
		const waitMs = (isLong ? TIMEOUT_MS : timeoutMs) / 4;
		const place = fairness.enter(
			{ info, user: request.user, query: request.query, path: request.path, waitMs, signal: () => request.signal },
			started,
		);
		if (isWatch) exchange.forgetWatch = fairness.watches.add(info, request.query);
		return place;
	}

	#authorize(request: ApiRequest, info: RequestInfo, trail: Trail | undefined): Promise<void> | undefined {
		const asked: Attributes = attributesOf(request.user, info, request.query);
		const { authorizer, identities, clock } = this.#deps;
		const started = clock.monotonic();
		const insist = (decision: Decision): void => {
			const ms = clock.monotonic() - started;
			trail?.took('authorization', ms);
			identities.decided(decision, ms / 1000);
			this.#insist(asked, decision, trail);
		};
		if (authorizer.decide === undefined) return authorizer.authorize(asked, request.signal).then(insist);
		insist(authorizer.decide(asked));
		return undefined;
	}

	#insist(asked: Attributes, decision: Decision, trail: Trail | undefined): void {
		if (!decision.allowed && decision.error !== undefined) {
			trail?.annotate('authorization.k8s.io/reason', 'internal error');
			throw new Unserved(decision.error);
		}
		trail?.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
		trail?.annotate('authorization.k8s.io/reason', decision.reason);
		if (decision.allowed) return;
		throw refused(asked, decision.reason);
	}

	#route(request: ApiRequest, info: RequestInfo): Maybe<ApiResponse> {
		const elsewhere = this.#deps.aggregated?.(request.path);
		if (elsewhere !== undefined) return elsewhere(request);
		if (info.type === 'resource') {
			const served = this.#deps.resources(info, request);
			return served ?? notFoundPath(request.path);
		}
		const handler = this.#deps.paths(info.path);
		if (handler === undefined) return notFoundPath(info.path);
		// Which methods it has is the handler's to say: most answer any as a GET.
		return handler(request);
	}

	#failure(exchange: Exchange, error: unknown): ApiResponse {
		const { request } = exchange;
		const failure = toStatusError(error);
		exchange.failure = failure;
		// The client went away, and with it the work on its answer.
		if (codeOf(error) === 'Canceled') this.#deps.metrics.aborted(exchange.info);
		if (failure.httpCode >= 500 && !(error instanceof StatusError))
			this.#deps.log.error('request failed', { method: request.method, path: request.path, why: messageOf(error), error });
		return answerStatus(request, failure);
	}
}
