/** The documents by which others verify our service-account tokens: /.well-known/openid-configuration and /openid/v1/jwks. */
import type { ApiResponse, Handler } from '../contracts.ts';
import { onlyGet, refuseUnlisted } from '../answer/accept.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';

/**
 * Handlers by path; reading them needs the role system:service-account-issuer-discovery. None where OpenID Connect would not take the issuer or the
 * place of its keys (upstream's NewOpenIDMetadataProvider).
 */
export function oidcDiscovery(issuer: string, jwksUri: string, keys: ServiceAccountKeys): ReadonlyMap<string, Handler> {
	if (!/^https:[^?#]*$/i.test(issuer) || !/^https:/i.test(jwksUri)) return new Map();
	const configuration = JSON.stringify({
		issuer,
		jwks_uri: jwksUri,
		response_types_supported: ['id_token'],
		subject_types_supported: ['public'],
		id_token_signing_alg_values_supported: keys.algorithms,
	});
	return new Map([
		['/.well-known/openid-configuration', document(configuration, 'application/json')],
		['/openid/v1/jwks', document(JSON.stringify(keys.jwks), 'application/jwk-set+json')],
	]);
}

function document(text: string, type: string): Handler {
	const body = Buffer.from(text);
	const answer: ApiResponse = {
		type: 'bytes',
		status: 200,
		headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
		body,
	};
	return (request) => {
		onlyGet(request);
		refuseUnlisted(request.headers['accept'], [type]);
		return Promise.resolve(answer);
	};
}
