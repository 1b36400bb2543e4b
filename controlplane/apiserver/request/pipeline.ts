/** What every request goes through: who asks, may they, who serves it, and any error as a Status. Knows nothing of HTTP versions. */
import { StatusError, toStatusError } from '../../../api/status.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import { answerStatus } from '../answer/status.ts';
import { sentBytes } from '../answer/sent-bytes.ts';
import { noteAnswer } from '../audit/answers.ts';
import { auditStranger, beginAudit } from '../audit/begin.ts';
import type { Trail } from '../audit/trail.ts';
import { isMisplaced, MISPLACED } from '../authn/bearer.ts';
import { isAnonymous } from '../authn/chain.ts';
import { refused } from '../authz/forbidden.ts';
import type { ApiRequest, ApiResponse, Attributes, Decision, Maybe, UserInfo } from '../contracts.ts';
import { isWrite, type Pass, type Refused } from '../fairness/fairness.ts';
import { ITSELF } from '../registry/itself.ts';
import { dryRunLabel, type RequestMetrics } from './metrics.ts';
import { Asked } from './asked.ts';
import { Deadlines, GivenUp, isOverdue, timeoutOf, writesOne } from './deadline.ts';
import { attributesOf } from './attributes.ts';
import { internalError, noRequestInfo, notFoundPath, tooLate, tooManyRequests } from './not-found.ts';
import { newExchange, type Answer, type Exchange } from './exchange.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { requestInfo, type RequestInfo } from './request-info.ts';
import { isPlainRead, lastsLong, mayUpgrade } from './lasting.ts';
import { Unserved } from './unserved.ts';

export class Pipeline {
	readonly #deps: PipelineDeps;
	readonly #deadlines: Deadlines;
	#open = 0;

	constructor(deps: PipelineDeps) {
		this.#deps = deps;
		this.#deadlines = new Deadlines(deps.clock, deps.requestTimeoutMs);
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
		const isLate = response.type === 'bytes' && (exchange.isGivenUp || isOverdue(exchange, clock, this.#deps.requestTimeoutMs));
		if (isLate) {
			response = tooLate();
			exchange.flow = undefined;
			this.#deps.metrics.late(exchange.isGivenUp && isWrite(info));
		}
		const isOver = response.type === 'bytes';
		if (isLong && !isOver) this.#deps.metrics.long(info, 1);
		const written = isOver ? this.#finish(exchange, response, isLate) : undefined;
		if (written !== undefined) await written;
		// A watch takes seats only until it has begun.
		if (!isOver && info.verb === 'watch') exchange.pass?.leave();
		// As upstream, whose filter of late requests has its own headers.
		const isStranger = exchange.isStranger && !isLate;
		const finished = isOver ? undefined : (): void => void this.#finish(exchange, response);
		return { response, auditId, flow: exchange.flow?.headers, finished, isStranger };
	}

	/** What is to be waited for until the answer may be sent: who asks and asks again must not outrun the audit log. */
	#finish(exchange: Exchange, response: ApiResponse, isLate = false): Promise<unknown> | undefined {
		const { clock, metrics } = this.#deps;
		const { request, info, started, pass, forgetWatch, trail, isLong } = exchange;
		if (!isLong && --this.#open === 0) this.#deps.quiet?.();
		pass?.leave();
		forgetWatch?.();
		trail?.lasted(clock.monotonic() - started);
		const written = trail?.note('ResponseComplete');
		const code = response.type === 'upgraded' ? 101 : response.status;
		if (isLong && response.type !== 'bytes') metrics.long(info, -1);
		// What was sent of it is all that the client has.
		if (!isLong && response.type === 'stream' && request.signal.aborted) metrics.aborted(info);
		metrics.observe(
			info,
			{
				code,
				seconds: (clock.monotonic() - started) / 1000,
				waitedSeconds: (exchange.waitedMs + exchange.mutatingMs + exchange.validatingMs) / 1000,
				bytes: sentBytes(response),
				dryRun: request.query.size === 0 ? '' : dryRunLabel(request.query),
				isOwn: exchange.isOwn,
				sentBytes: exchange.sentBytes,
				terminated: isLate || (code === 429 && pass === undefined),
			},
			info.verb === 'patch' && (request.headers['content-type'] ?? '').startsWith('application/apply-patch'),
		);
		return written;
	}

	async #answer(exchange: Exchange, authenticate: () => Maybe<UserInfo>): Promise<ApiResponse> {
		const { request, info, isLong } = exchange;
		if (info.type === 'path' && info.unreadable === true) return noRequestInfo(request);
		try {
			if (!isLong) exchange.timeoutMs = timeoutOf(request.query, this.#deps.requestTimeoutMs);
		} catch (error) {
			return await this.#turnAway(exchange, error);
		}
		const known = this.#identify(exchange, authenticate);
		const user = known instanceof Promise ? await known : known;
		const { auditor, clock, filters } = this.#deps;
		if (auditor === undefined) filters.audit.observe(0);
		else {
			const auditsAt = clock.monotonic();
			exchange.trail = await beginAudit(auditor, request, exchange.auditId, attributesOf(user, info, request.query));
			filters.audit.observe((clock.monotonic() - auditsAt) / 1000);
		}
		const { trail } = exchange;
		trail?.took('authentication', clock.monotonic() - exchange.started);
		const { notes = [], warnings = [] } = user.remarks?.() ?? {};
		for (const note of notes) trail?.annotate(...note);
		for (const warning of warnings) request.warn(warning);
		let asked = new Asked(request, user, clock, exchange);
		const becomesAt = clock.monotonic();
		const becoming = this.#deps.impersonate(asked, () => attributesOf(user, info, request.query));
		const other = becoming === undefined ? undefined : await becoming;
		if (other !== undefined) {
			asked = new Asked(request, other.user, clock, exchange);
			trail?.impersonates(other.user, other.constraint);
			trail?.took('impersonation', clock.monotonic() - becomesAt);
		}
		exchange.isOwn = asked.user.name === ITSELF.name;
		const entersAt = clock.monotonic();
		filters.impersonation.observe((entersAt - becomesAt) / 1000);
		const entered = this.#enter(asked, exchange);
		const place = entered instanceof Promise ? await entered : entered;
		if (entered instanceof Promise) exchange.waitedMs = clock.monotonic() - entersAt;
		trail?.took('apf-queue-wait', exchange.waitedMs);
		exchange.flow = place?.flow;
		if (place?.type === 'refused') return tooManyRequests(place);
		exchange.pass = place;
		filters.fairness.observe(exchange.waitedMs / 1000);
		const authorized = this.#authorize(asked, info, trail);
		if (authorized !== undefined) await authorized;
		if (isPlainRead(info) || isLong) {
			const response = this.#route(asked, info);
			return response instanceof Promise ? await response : response;
		}
		const isBounded = writesOne(info) && this.#deps.aggregated?.(request.path) === undefined;
		const deadline = this.#deadlines.of(request, exchange.timeoutMs, isBounded);
		const { turns } = this.#deps;
		const isUrgent = isWrite(info);
		if (isUrgent) turns.beginUrgent();
		try {
			if (isOverdue(exchange, clock, this.#deps.requestTimeoutMs)) throw new GivenUp(undefined);
			return await this.#route(new Asked(request, asked.user, clock, exchange, deadline.signal), info);
		} catch (error) {
			throw deadline.signal.aborted ? new GivenUp(deadline.signal, deadline.hasTime) : error;
		} finally {
			// Not by `using`, which is made of lists and closures where the program is bundled.
			deadline[Symbol.dispose]();
			if (isUrgent) turns.endUrgent();
		}
	}

	#identify(exchange: Exchange, authenticate: () => Maybe<UserInfo>): Maybe<UserInfo> {
		const { identities, filters, clock } = this.#deps;
		const seconds = (): number => (clock.monotonic() - exchange.started) / 1000;
		const refused = (error: unknown): Promise<never> => {
			const took = seconds();
			exchange.isStranger = true;
			identities.refused(took);
			filters.authentication.observe(took);
			if (isMisplaced(exchange.request.headers['authorization'])) exchange.request.warn(MISPLACED);
			return this.#turnAway(exchange, error);
		};
		const accepted = (user: UserInfo): UserInfo => {
			const took = seconds();
			exchange.isStranger = isAnonymous(user);
			identities.authenticated(user, took);
			filters.authentication.observe(took);
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
	#enter(request: ApiRequest, exchange: Exchange): Maybe<Pass | Refused> | undefined {
		const { fairness, limits } = this.#deps;
		const { info, isLong, started, timeoutMs } = exchange;
		const isWatch = info.type === 'resource' && info.verb === 'watch';
		if (fairness === undefined) return isLong ? undefined : limits?.enter(info, request.user, started);
		if (isLong && !isWatch) return undefined;
		// A quarter of its time; a watch has none of its own.
		const waitMs = (isLong ? this.#deps.requestTimeoutMs : timeoutMs) / 4;
		const place = fairness.enter(
			{ info, user: request.user, query: request.query, path: request.path, waitMs, signal: () => request.signal },
			started,
		);
		if (isWatch) exchange.forgetWatch = fairness.watches.add(info, request.query);
		return place;
	}

	#authorize(request: ApiRequest, info: RequestInfo, trail: Trail | undefined): Promise<void> | undefined {
		const asked: Attributes = attributesOf(request.user, info, request.query);
		const { authorizer, identities, filters, clock } = this.#deps;
		const started = clock.monotonic();
		const insist = (decision: Decision): void => {
			const ms = clock.monotonic() - started;
			trail?.took('authorization', ms);
			identities.decided(decision, ms / 1000);
			this.#insist(asked, decision, trail);
			filters.authorization.observe(ms / 1000);
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
		// The client went away, and with it the work on its answer.
		const isGone = codeOf(error) === 'Canceled' && !(error instanceof StatusError) && request.signal.aborted;
		const isLate = error instanceof GivenUp;
		exchange.isGivenUp = !exchange.isLong && (isGone || (isLate && !error.isAnswer));
		if (isLate && error.isAnswer) this.#deps.metrics.lateWrite();
		const failure = toStatusError(isGone ? new GivenUp(request.signal) : error);
		exchange.failure = failure;
		if (failure.httpCode >= 500 && !isGone && !isLate && !(error instanceof StatusError))
			this.#deps.log.error('request failed', { method: request.method, path: request.path, why: messageOf(error), error });
		return answerStatus(request, failure);
	}
}
