/** Files of the downward API. Pure. */
import type { DownwardAPIVolumeFile, Quantity } from '../../api/gen/types.ts';
import { inUnitsOf, resourceOf } from '../pod/amounts.ts';
import { fieldValue, type FieldContext } from '../pod/field-ref.ts';
import type { VolumeFile, VolumeFiles } from './files.ts';

export function downwardFiles(
	items: readonly DownwardAPIVolumeFile[],
	mode: number,
	context: FieldContext & { readonly allocatable: Readonly<Record<string, Quantity>> },
): VolumeFiles {
	return new Map(
		items.map((item): [string, VolumeFile] => [item.path, { data: Buffer.from(valueOf(item, context)), mode: item.mode ?? mode }]),
	);
}

function valueOf(item: DownwardAPIVolumeFile, context: Parameters<typeof downwardFiles>[2]): string {
	if (item.fieldRef !== undefined) return fieldValue(item.fieldRef.fieldPath, context);
	const ref = item.resourceFieldRef;
	if (ref === undefined) return '';
	return inUnitsOf(resourceOf(context.pod, ref.containerName ?? '', ref.resource, context.allocatable) ?? 0, ref.divisor);
}
