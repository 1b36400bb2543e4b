/** CRI's credentials for a registry as the engine's. Pure. */
import type { AuthConfig } from '../proto.ts';

/** The engine's X-Registry-Auth; `auth` is "user:password" in base64, as in .docker/config.json. Undefined where there are none. */
export function engineAuth(auth: AuthConfig | undefined): object | undefined {
	if (auth === undefined) return undefined;
	const decoded = auth.auth === '' ? '' : Buffer.from(auth.auth, 'base64').toString('utf8').replaceAll('\0', '');
	const colon = decoded.indexOf(':');
	return {
		username: auth.username || (colon < 0 ? '' : decoded.slice(0, colon)),
		password: auth.password || (colon < 0 ? '' : decoded.slice(colon + 1)),
		serveraddress: auth.serverAddress,
		identitytoken: auth.identityToken,
		registrytoken: auth.registryToken,
	};
}
