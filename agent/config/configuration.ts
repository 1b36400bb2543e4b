/** A KubeletConfiguration v1beta1 as it was given: as upstream names its fields, nothing filled in. */
export type KubeletConfiguration = Readonly<Record<string, unknown>>;
