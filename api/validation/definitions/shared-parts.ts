/** What all versions of a definition have alike stands at the top of the spec in upstream's internal type. */
import type { CustomResourceDefinitionVersion } from '../../gen/types.ts';
import { sameJson } from '../../same-json.ts';

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
export type Part = (typeof PARTS)[number];

/** The parts that are the same in every version. */
export function sharedParts(versions: readonly CustomResourceDefinitionVersion[]): ReadonlySet<Part> {
	return new Set(PARTS.filter((part) => versions.every((version) => sameJson(version[part], versions[0]?.[part]))));
}
