/** Where everything is stored that nobody has given another place; the tool reads it as well, and loads no schema for that. */
export const DATA_DIR_DEFAULT = './data';
