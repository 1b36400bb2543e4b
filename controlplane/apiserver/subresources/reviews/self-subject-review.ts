/** selfsubjectreviews: tells the caller who it is. */
import type { SelfSubjectReview } from '../../../../api/gen/types.ts';
import { timeOf } from '../../../../api/time.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { SubresourceHandler } from '../../contracts.ts';
import type { BodyCodec } from '../../request/body-codec.ts';
import { userText } from './token-review.ts';

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview' };

export function selfSubjectReview(codec: BodyCodec, clock: Clock): SubresourceHandler {
	return {
		group: KIND.group,
		resource: 'selfsubjectreviews',
		subresource: '',
		async handle(request) {
			await codec.read<SelfSubjectReview>(request, KIND);
			return codec.write(request, 201, {
				kind: KIND.kind,
				apiVersion: `${KIND.group}/${KIND.version}`,
				metadata: { creationTimestamp: timeOf(clock.now()) },
				status: { userInfo: userText(request.user) },
			});
		},
	};
}
