/** The parameters a binding gives its policy: none, one by name, or all that a selector chooses. */
import type { ParamKind, ParamRef } from '../../../../api/gen/types.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { matchesLabelSelector } from '../../../../api/selector/label.ts';
import { AppError } from '../../../../base/errors.ts';
import type { ObjectReader } from '../../contracts.ts';
import type { Kind, Kinds } from '../../registry/kinds.ts';

/** The kind of a policy's parameters; undefined where it has none. AppError NotFound where nothing of that kind is served. */
export function paramKindOf(kinds: Kinds, wanted: ParamKind | undefined): Kind | undefined {
	if (wanted === undefined) return undefined;
	const { apiVersion = '', kind = '' } = wanted;
	for (const served of kinds.all()) if (served.apiVersion === apiVersion && served.resource.kind === kind) return served;
	const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
	throw new AppError('NotFound', `failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`);
}

/** @param namespace of the request; a namespace is its own. AppError where the reference does not fit, or finds nothing and that is to be refused. */
export async function paramsOf(
	objects: ObjectReader,
	kind: Kind | undefined,
	ref: ParamRef | undefined,
	namespace: string,
	signal: AbortSignal,
): Promise<readonly (KubeObject | undefined)[]> {
	if (kind === undefined || ref === undefined) return [undefined];
	const { resource } = kind;
	const wrong = (why: string): AppError => new AppError('FailedPrecondition', why);
	if (!resource.namespaced && (ref.namespace ?? '') !== '')
		throw wrong('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
	const from = resource.namespaced ? ((ref.namespace ?? '') === '' ? namespace : (ref.namespace ?? '')) : '';
	if (resource.namespaced && from === '')
		throw wrong('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
	if (kind.custom !== undefined) await objects.readable?.(resource, signal, from);
	let found: readonly KubeObject[];
	if ((ref.name ?? '') !== '') {
		const one = objects.get(resource, from === '' ? (ref.name ?? '') : `${from}/${ref.name}`);
		found = one === undefined ? [] : [one];
	} else found = objects.list(resource, from).filter((o) => matchesLabelSelector(ref.selector, o.metadata.labels ?? {}));
	if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
		throw wrong('no params found for policy binding with `Deny` parameterNotFoundAction');
	return found;
}
