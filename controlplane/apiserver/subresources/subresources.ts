/** All subresources and virtual resources that are no plain object read or write. */
import { methodNotAllowed } from '../../../api/status.ts';
import { refuseTable } from '../answer/accept.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Authentication } from '../authn/authentication.ts';
import type { Authorization } from '../authz/authorizer.ts';
import type { ObjectReader, ObjectWriter, SubresourceHandler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { StreamMetrics } from '../metrics/stream-metrics.ts';
import { accessReviews } from './reviews/access-review.ts';
import { admittedCodec, type Admit } from './admitted-codec.ts';
import { Backend, type BackendTls } from './proxy/backend.ts';
import { componentStatuses, type Component } from './component-statuses.ts';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';
import { podStreams } from './streams/pod-streams.ts';
import { proxies } from './proxy/proxy.ts';
import { rulesReview } from './reviews/rules-review.ts';
import { selfSubjectReview } from './reviews/self-subject-review.ts';
import { serviceAccountToken } from './service-account-token.ts';
import { tokenReview } from './reviews/token-review.ts';
import { trackedCodec } from './tracked-codec.ts';
import { viewedCodec } from './viewed-codec.ts';

export interface SubresourceDeps {
	readonly objects: ObjectReader;
	readonly writer: ObjectWriter;
	readonly codec: BodyCodec;
	readonly clock: Clock;
	readonly metrics: Registry;
	readonly authentication: Authentication;
	readonly authorization: Authorization;
	/** The API server's client certificate for kubelets, and the CA that signs theirs. */
	readonly kubeletTls: () => BackendTls;
	/** Of nodes' addresses those that reach their kubelets, in order; as kubeadm has it unless told. */
	readonly kubeletAddressTypes?: readonly string[] | undefined;
	readonly components?: () => readonly Component[];
	/** Asked about what is posted; nobody is unless told. */
	readonly admit?: Admit | undefined;
}

export interface Subresources extends Disposable {
	readonly handlers: readonly SubresourceHandler[];
}

export function createSubresources(deps: SubresourceDeps): Subresources {
	const { objects, writer, clock, authentication, authorization, kubeletAddressTypes } = deps;
	const { admit = async (_attributes, _signal, prepare) => prepare?.() } = deps;
	const viewed = viewedCodec(deps.codec);
	const plain = admittedCodec(viewed, admit);
	const codec = admittedCodec(trackedCodec(viewed, clock), admit);
	const { authorizer } = authorization;
	const { audiences, serviceAccounts: tokens, tokenLife: life, tokenAuthenticators: authenticators } = authentication;
	const kubelets = new Backend(deps.kubeletTls);
	const workloads = new Backend(() => ({}));
	return {
		handlers: [
			...[
				...podBinding({ writer, codec, clock }),
				podEviction({ objects, writer, codec, clock }),
				serviceAccountToken({ objects, codec, tokens, audiences, life }),
				tokenReview({ codec, authenticators, audiences }),
				selfSubjectReview(codec, clock),
				...accessReviews({ codec, authorizer }),
				rulesReview(plain, authorization),
			].map(createOnly),
			...podStreams({ objects, authorizer, kubelets, kubeletAddressTypes, clock, metrics: new StreamMetrics(deps.metrics) }),
			...proxies({ objects, clock, kubelets, kubeletAddressTypes, workloads }),
			componentStatuses(codec, deps.components ?? (() => []), clock),
		],
		[Symbol.dispose]: () => {
			kubelets.close();
			workloads.close();
		},
	};
}

/** Refuses every method but POST, and tables. */
function createOnly(handler: SubresourceHandler): SubresourceHandler {
	return {
		...handler,
		async handle(request, target) {
			if (target.verb !== 'create') throw methodNotAllowed();
			refuseTable(request.headers['accept']);
			return handler.handle(request, target);
		},
	};
}
