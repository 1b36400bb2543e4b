/** Which resource the parameters of an admission policy are of, as far as that can be told: what cannot, stands for all. Pure. */
import type { ParamKind } from '../../../api/gen/types.ts';
import type { KindName } from '../../../api/kind-name.ts';

/** The resource under which objects of a kind are served; undefined where they are not. */
export type ResourceOfKind = (name: KindName) => string | undefined;

export interface ParamResource {
	readonly group: string;
	readonly version: string;
	readonly resource: string;
	/** What failed on the way. */
	readonly complaint?: string;
}

/** @param kind undefined: nobody says */
export function paramResource(kind: ParamKind | undefined, resourceOf: ResourceOfKind): ParamResource {
	const any = { group: '*', version: '*', resource: '*' };
	if (kind === undefined) return any;
	const { apiVersion = '', kind: name = '' } = kind;
	const shown = `paramKind &{${apiVersion} ${name}}`;
	const parts = apiVersion.split('/');
	if (parts.length > 2) return { ...any, complaint: `parse ${shown}` };
	const [version = '', group = ''] = parts.toReversed();
	const resource = resourceOf({ group, version, kind: name });
	return resource === undefined ? { group, version, resource: '*', complaint: `resolve ${shown}` } : { group, version, resource };
}
