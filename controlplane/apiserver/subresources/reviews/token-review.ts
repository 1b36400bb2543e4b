/** tokenreviews: says whom a token stands for. */
import type { TokenReview } from '../../../../api/gen/types.ts';
import { badRequest } from '../../../../api/status.ts';
import { bearerIn, reviewToken, type TokenVerdict } from '../../authn/bearer.ts';
import { withGroup } from '../../authn/chain.ts';
import type { TokenAuthenticator } from '../../authn/token-authenticator.ts';
import type { SubresourceHandler, UserInfo } from '../../contracts.ts';
import type { BodyCodec } from '../../request/body-codec.ts';

interface Deps {
	readonly codec: BodyCodec;
	readonly authenticators: readonly TokenAuthenticator[];
	/** Audiences of a review that names none: the API server's own. */
	readonly audiences: readonly string[];
}

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' };

export function tokenReview({ codec, authenticators, audiences }: Deps): SubresourceHandler {
	return {
		group: KIND.group,
		resource: 'tokenreviews',
		subresource: '',
		async handle(request) {
			const review = await codec.read<TokenReview>(request, KIND);
			// What is posted may be without a spec, whatever the type says.
			const { token: given = '', audiences: asked = [] } = (review as Partial<TokenReview>).spec ?? {};
			if (given === '') throw badRequest('token is required for TokenReview in authentication');
			// It is read as the header that would carry it.
			const token = bearerIn(`Bearer ${given}`) ?? '';
			const verdict = await reviewToken(authenticators, token, asked.length > 0 ? asked : audiences, request.signal);
			// Of what was posted as status, all stays that is not found out here.
			const { authenticated: _, ...said } = review.status ?? {};
			return codec.write(request, 201, { ...review, status: { user: {}, ...said, ...statusOf(verdict, asked.length > 0) } });
		},
	};
}

function statusOf(verdict: TokenVerdict, audiencesAsked: boolean): object {
	if (!verdict.good) return { error: verdict.errors.length === 1 ? verdict.errors[0] : `[${verdict.errors.join(', ')}]` };
	const { user, audiences } = verdict.identity;
	return {
		authenticated: true,
		user: userText(withGroup(user)),
		...(audiencesAsked || audiences.length > 0 ? { audiences } : {}),
	};
}

/** A user in the form of authentication/v1 UserInfo. */
export function userText({ name, uid, groups, extra }: UserInfo): object {
	return {
		...(name === '' ? {} : { username: name }),
		...(uid === '' ? {} : { uid }),
		...(groups.length === 0 ? {} : { groups }),
		...(Object.keys(extra).length === 0 ? {} : { extra: inOrder(extra) }),
	};
}

/** Keys as Go writes those of a map. */
function inOrder(extra: UserInfo['extra']): UserInfo['extra'] {
	return Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1)));
}
