/** Default of DATA_DIR. The tool reads it, too, without loading a schema. */
export const DATA_DIR_DEFAULT = './data';
