/** Tables: rows by the kind's columns, with the object as the client wants it included. */
import type { KubeObject } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';
import type { Listed } from '../registry/list.ts';
import { inVersion, listTail, partial, type Viewed } from './views.ts';
import { columnsOf, isShownByDefault, rowOf } from '../table/table.ts';

const INCLUDES: ReadonlySet<string> = new Set(['None', 'Metadata', 'Object']);

/** @param objects as they are stored */
export function tableOf(
	request: ApiRequest,
	kind: Viewed,
	objects: readonly KubeObject[],
	list: Listed | undefined,
	version: string,
	now: number,
): object {
	const { custom, printer = kind.resource.kind } = kind;
	const rows = objects.map(rowMaker(request, kind, version, now));
	return {
		kind: 'Table',
		apiVersion: `meta.k8s.io/${version}`,
		metadata: list === undefined ? { resourceVersion: objects[0]?.metadata.resourceVersion } : listTail(list).metadata,
		columnDefinitions: custom === undefined ? columnsOf(printer) : custom.columns,
		rows: rows.length === 0 && custom === undefined && isShownByDefault(printer) ? null : rows,
	};
}

/** One row of the table. StatusError BadRequest when the request wants what rows cannot include. */
export function rowMaker(request: ApiRequest, kind: Viewed, version: string, now: number): (object: KubeObject) => object {
	const include = request.query.get('includeObject') || 'Metadata';
	if (!INCLUDES.has(include))
		throw badRequest(
			`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
		);
	const { custom, printer = kind.resource.kind } = kind;
	return (object) => ({
		...(custom === undefined ? rowOf(printer, object, now) : { cells: custom.cells(object, now) }),
		...(include === 'None'
			? { object: null }
			: { object: include === 'Object' ? inVersion(kind, object) : partial(kind, object, version) }),
	});
}
