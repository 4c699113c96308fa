# Turns the Markdown pages of a folder into a C++ source: cmake -DOUTPUT=x.cc -DFOLDER=f -P EmbedPages.cmake
file(GLOB pages ${FOLDER}/*.md)
set(cases "")
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND cases "  if (noun == \"${name}\") return R\"page(${text})page\";\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from src/cli/commands/*.md.
#include \"cli/command.h\"

namespace belay {

std::string_view HelpPage(std::string_view noun) {
${cases}  return {};
}

}  // namespace belay
")
