/** Which Engine API version to speak. */
import { AppError } from '../../base/errors.ts';

/** The oldest this shim can work with (Engine 20.10) and the newest that its requests were written against. */
export const OLDEST_API = '1.41';
export const NEWEST_API = '1.51';

/** Pure: the newest version that both sides know. Throws FailedPrecondition with the reason where there is none. */
export function negotiate(engineNewest: string, engineOldest: string): string {
	const version = compare(engineNewest, NEWEST_API) < 0 ? engineNewest : NEWEST_API;
	if (compare(version, OLDEST_API) < 0)
		throw new AppError(
			'FailedPrecondition',
			`The engine speaks API ${engineNewest || 'of an unknown version'}; at least ${OLDEST_API} (Docker Engine 20.10) is needed`,
		);
	if (engineOldest !== '' && compare(version, engineOldest) < 0)
		throw new AppError('FailedPrecondition', `The engine wants at least API ${engineOldest}; this program knows at most ${NEWEST_API}`);
	return version;
}

function compare(a: string, b: string): number {
	const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
	const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
	return aMajor - bMajor || aMinor - bMinor;
}
