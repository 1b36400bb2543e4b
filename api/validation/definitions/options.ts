/** Rules that are not asked of a definition: computed by `options-before.ts`, looked at by the rules. */
import type { SchemaOption } from '../../structural/schema-options.ts';

/** Each a rule that is not asked. */
export type DefinitionOption =
	| Exclude<SchemaOption, 'expensive'>
	| 'faultyBundle'
	| 'noSchema'
	| 'notStructural'
	| 'preservesUnknown'
	| 'unknownReviews'
	| 'unprunedDefaults';

/** Those of one schema: expressions may be expensive where it is as it was. */
export type SchemaOptions = ReadonlySet<DefinitionOption | SchemaOption>;

export interface DefinitionOptions {
	readonly skips: ReadonlySet<DefinitionOption>;
	/** Names of versions whose schema is as it was. */
	readonly sameSchemas: ReadonlySet<string>;
	/** Names of versions that have too many selectable fields, as before; '' stands for all versions, where they have the same. */
	readonly manyFields: ReadonlySet<string>;
}

/** Of what is new: as nobody converts anything yet, authorities may be any. */
export const NEW: DefinitionOptions = { skips: new Set(['faultyBundle']), sameSchemas: new Set(), manyFields: new Set() };
/** Nothing is passed over. */
export const STRICT: DefinitionOptions = { ...NEW, skips: new Set() };
